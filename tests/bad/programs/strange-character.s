        mov  r1, 3 ; comment
