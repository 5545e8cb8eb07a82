var lock
        ld   r32, lock
