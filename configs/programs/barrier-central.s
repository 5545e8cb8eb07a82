# Central barrier with reversed sense: all count in one word, the last one flips another that all wait for.
param rounds = 10
param work = 20           # turns or cycles between barriers
var arrived line
var sense line
var passed[threads] line  # barriers that each thread has seen

        mov  r1, rounds
        mov  r2, 0                # this round's sense
round:
        delay work
        xor  r2, r2, 1
        fadd r3, arrived, 1
        sub  r4, threads, 1
        bne  r3, r4, wait
        st   arrived, 0           # the last one opens
        st   sense, r2
        jmp  through
wait:
        ld   r5, sense
        bne  r5, r2, wait
through:
        add  r6, r6, 1
        st   passed[tid], r6
        sub  r1, r1, 1
        bne  r1, 0, round
