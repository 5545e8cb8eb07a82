        ld   r1, [r2]
