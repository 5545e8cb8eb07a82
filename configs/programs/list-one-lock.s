# Threads walk along a list under one lock: one thread at a time.
param rounds = 8          # walks of each thread
param nodes = 16
param work = 20           # turns or cycles at a node
param count = 0
var lock line
var visits[nodes]

        mov  r1, rounds
acquire:
        tas  r2, lock
        bne  r2, 0, acquire
        mov  r3, 0
visit:
        delay work
        beq  count, 0, next       # count=1: also count the visits of each node
        ld   r9, visits[r3]
        add  r9, r9, 1
        st   visits[r3], r9
next:
        add  r3, r3, 1
        bne  r3, nodes, visit
        st   lock, 0
        sub  r1, r1, 1
        bne  r1, 0, acquire
