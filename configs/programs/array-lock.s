# Array lock (Anderson, 1990): everybody waits on a line of his own. A slot holds the ticket that it lets in, so
# that nobody needs to clear it.
param rounds = 1          # acquisitions of each thread
param hold = 200          # turns or cycles in the critical section
param count = 0
var next_ticket line
var slot[threads] line
var counter line

        mov  r1, rounds
acquire:
        fadd r2, next_ticket, 1
        rem  r3, r2, threads
wait:
        ld   r4, slot[r3]
        bne  r4, r2, wait
        delay hold
        beq  count, 0, leave      # count=1: also increment a shared word inside the critical section
        ld   r9, counter
        add  r9, r9, 1
        st   counter, r9
leave:
        add  r2, r2, 1
        rem  r3, r2, threads
        st   slot[r3], r2
        sub  r1, r1, 1
        bne  r1, 0, acquire
