# Every thread increments a counter of its own, `burst` times in a row before the next thread has its burst: as
# much as a store buffer might gather before it needs the line once.
param rounds = 1000       # increments of each thread
param burst = 1
param stride = 4          # bytes between counters
var counter[threads] size 4 align stride
event over

        mov  r1, rounds
        mov  r4, tid              # bursts before mine
again:
        await over, r4
        mov  r2, burst
increment:
        ld   r3, counter[tid]
        add  r3, r3, 1
        st   counter[tid], r3
        sub  r1, r1, 1
        beq  r1, 0, last
        sub  r2, r2, 1
        bne  r2, 0, increment
        add  r4, r4, threads
        signal over
        jmp  again
last:
        signal over
