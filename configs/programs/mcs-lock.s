# MCS lock (Mellor-Crummey and Scott, 1991): a queue of nodes, each waiter spins on his own. Here the two words
# of a node lie on lines of their own. Nodes are named by thread number + 1; 0 is nobody.
param rounds = 1          # acquisitions of each thread
param hold = 200          # turns or cycles in the critical section
param count = 0
var tail line
var next[threads] line
var locked[threads] line
var counter line

        mov  r1, rounds
        add  r2, tid, 1
acquire:
        st   next[tid], 0
        swap r3, tail, r2
        beq  r3, 0, enter
        st   locked[tid], 1
        sub  r3, r3, 1
        st   next[r3], r2
wait:
        ld   r4, locked[tid]
        bne  r4, 0, wait
enter:
        delay hold
        beq  count, 0, leave      # count=1: also increment a shared word inside the critical section
        ld   r9, counter
        add  r9, r9, 1
        st   counter, r9
leave:
        ld   r4, next[tid]
        bne  r4, 0, pass
        cas  r5, tail, r2, 0      # nobody waits, unless one is just arriving
        beq  r5, r2, again
arriving:
        ld   r4, next[tid]
        beq  r4, 0, arriving
pass:
        sub  r4, r4, 1
        st   locked[r4], 0
again:
        sub  r1, r1, 1
        bne  r1, 0, acquire
