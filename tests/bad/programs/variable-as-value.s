var lock
        add  r1, lock, 1
