# Lock taken by load-linked and store-conditional: those who lose the race fail without a bus transaction.
param rounds = 1          # acquisitions of each thread
param hold = 200          # turns or cycles in the critical section
param count = 0
var lock line
var counter line

        mov  r1, rounds
acquire:
        ll   r2, lock
        bne  r2, 0, acquire
        sc   r2, lock, 1
        beq  r2, 0, acquire
        delay hold
        beq  count, 0, leave      # count=1: also increment a shared word inside the critical section
        ld   r9, counter
        add  r9, r9, 1
        st   counter, r9
leave:
        st   lock, 0
        sub  r1, r1, 1
        bne  r1, 0, acquire
