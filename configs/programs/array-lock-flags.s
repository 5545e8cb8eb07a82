# Array lock (Anderson, 1990) with flags: who is let in clears his own slot for the next round.
param rounds = 1          # acquisitions of each thread
param hold = 200          # turns or cycles in the critical section
param count = 0
var next_ticket line
var slot[threads] line = 1
var counter line

        mov  r1, rounds
acquire:
        fadd r2, next_ticket, 1
        rem  r3, r2, threads
wait:
        ld   r4, slot[r3]
        beq  r4, 0, wait
        st   slot[r3], 0
        delay hold
        beq  count, 0, leave      # count=1: also increment a shared word inside the critical section
        ld   r9, counter
        add  r9, r9, 1
        st   counter, r9
leave:
        add  r2, r2, 1
        rem  r3, r2, threads
        st   slot[r3], 1
        sub  r1, r1, 1
        bne  r1, 0, acquire
