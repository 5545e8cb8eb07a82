# Lock taken by compare-and-swap after a read showed it free. A failed compare-and-swap took the line all the same.
param rounds = 1          # acquisitions of each thread
param hold = 200          # turns or cycles in the critical section
param count = 0
var lock line             # 0 free, else the owner's number + 1
var counter line

        mov  r1, rounds
        add  r3, tid, 1
acquire:
        ld   r2, lock
        bne  r2, 0, acquire
        cas  r2, lock, 0, r3
        bne  r2, 0, acquire
        delay hold
        beq  count, 0, leave      # count=1: also increment a shared word inside the critical section
        ld   r9, counter
        add  r9, r9, 1
        st   counter, r9
leave:
        st   lock, 0
        sub  r1, r1, 1
        bne  r1, 0, acquire
