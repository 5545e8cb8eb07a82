# Threads walk along a list with a lock at each node: the next node is locked before the last one is let go, so that
# walks follow each other and none overtakes (Bayer and Schkolnick, 1977).
param rounds = 8          # walks of each thread
param nodes = 16
param work = 20           # turns or cycles at a node
param count = 0
var lock[nodes] line
var visits[nodes] line

        mov  r1, rounds
walk:
        mov  r3, 0
first:
        tas  r2, lock[0]
        bne  r2, 0, first
visit:
        delay work
        beq  count, 0, next       # count=1: also count the visits of each node
        ld   r9, visits[r3]
        add  r9, r9, 1
        st   visits[r3], r9
next:
        add  r4, r3, 1
        beq  r4, nodes, last
hand:
        tas  r2, lock[r4]
        bne  r2, 0, hand
        st   lock[r3], 0
        mov  r3, r4
        jmp  visit
last:
        st   lock[r3], 0
        sub  r1, r1, 1
        bne  r1, 0, walk
