var slot[4]
        ld   r1, slot[4]
