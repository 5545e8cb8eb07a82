# Ticket lock: first come, first served; one atomic a turn, then everybody waits for the number being served.
param rounds = 1          # acquisitions of each thread
param hold = 200          # turns or cycles in the critical section
param count = 0
var next_ticket line
var now_serving line
var counter line

        mov  r1, rounds
acquire:
        fadd r2, next_ticket, 1
wait:
        ld   r3, now_serving
        bne  r3, r2, wait
        delay hold
        beq  count, 0, leave      # count=1: also increment a shared word inside the critical section
        ld   r9, counter
        add  r9, r9, 1
        st   counter, r9
leave:
        add  r2, r2, 1
        st   now_serving, r2
        sub  r1, r1, 1
        bne  r1, 0, acquire
