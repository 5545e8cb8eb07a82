# Stack without locks (Treiber, 1986): every thread pops a node and pushes it back, with a compare-and-swap on the
# top. The top carries a tag in its upper half that every change raises, so that a top that left and came back is
# noticed (the ABA problem).
param rounds = 10
var node[threads] {next} line
var top line = &node[0]
var pops line
event linked

        # Thread t links its node to that of t + 1; the last stays linked to nobody.
        add  r1, tid, 1
        beq  r1, threads, ready
        lea  r2, node[r1]
        st   node[tid].next, r2
ready:
        signal linked
        await linked, threads
        mov  r10, rounds

pop:
        ld   r2, top
        and  r3, r2, 0xffffffff   # the node
        beq  r3, 0, pop           # empty for the moment
        ld   r4, [r3 + node.next]
        shr  r5, r2, 32
        add  r5, r5, 1
        shl  r5, r5, 32
        or   r5, r5, r4
        cas  r6, top, r2, r5
        bne  r6, r2, pop
        fadd r7, pops, 1
push:
        ld   r2, top
        and  r4, r2, 0xffffffff
        st   [r3 + node.next], r4
        shr  r5, r2, 32
        add  r5, r5, 1
        shl  r5, r5, 32
        or   r5, r5, r3
        cas  r6, top, r2, r5
        bne  r6, r2, push
        sub  r10, r10, 1
        bne  r10, 0, pop
