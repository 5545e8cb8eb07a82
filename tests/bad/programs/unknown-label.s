again:
        jmp  agian
