var flag
wait:
        ld   r1, flag
        beq  r1, 0, wait
