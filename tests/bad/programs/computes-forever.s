again:
        jmp  again
