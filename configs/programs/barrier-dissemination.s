# Dissemination barrier (Hensgen, Finkel and Manber, 1988): in step s thread t tells thread t + 2^s, modulo the
# number of threads; nobody is last, and no word has more than one writer. A word holds the barriers announced.
param rounds = 10
param work = 20           # turns or cycles between barriers
param steps = 8           # for up to 2^8 threads
var told[threads * steps] line
var passed[threads] line  # barriers that each thread has seen

        mov  r1, rounds
round:
        delay work
        add  r6, r6, 1            # number of this barrier
        mov  r2, 1                # distance 2^s
        mov  r3, 0                # s
step:
        bge  r2, threads, through
        bge  r3, steps, through
        add  r4, tid, r2
        rem  r4, r4, threads
        mul  r4, r4, steps
        add  r4, r4, r3
        st   told[r4], r6
        mul  r5, tid, steps
        add  r5, r5, r3
wait:
        ld   r7, told[r5]
        blt  r7, r6, wait
        shl  r2, r2, 1
        add  r3, r3, 1
        jmp  step
through:
        st   passed[tid], r6
        sub  r1, r1, 1
        bne  r1, 0, round
