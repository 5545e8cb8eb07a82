# MCS lock (Mellor-Crummey and Scott, 1991): a queue of nodes, each waiter spins on his own. A node is one line
# and is named by its address; 0 is nobody.
param rounds = 1          # acquisitions of each thread
param hold = 200          # turns or cycles in the critical section
param count = 0
var tail line
var node[threads] {next, locked} line
var counter line

        mov  r1, rounds
        lea  r2, node[tid]
acquire:
        st   [r2 + node.next], 0
        swap r3, tail, r2
        beq  r3, 0, enter
        st   [r2 + node.locked], 1
        st   [r3 + node.next], r2
wait:
        ld   r4, [r2 + node.locked]
        bne  r4, 0, wait
enter:
        delay hold
        beq  count, 0, leave      # count=1: also increment a shared word inside the critical section
        ld   r9, counter
        add  r9, r9, 1
        st   counter, r9
leave:
        ld   r4, [r2 + node.next]
        bne  r4, 0, pass
        cas  r5, tail, r2, 0      # nobody waits, unless one is just arriving
        beq  r5, r2, again
arriving:
        ld   r4, [r2 + node.next]
        beq  r4, 0, arriving
pass:
        st   [r4 + node.locked], 0
again:
        sub  r1, r1, 1
        bne  r1, 0, acquire
