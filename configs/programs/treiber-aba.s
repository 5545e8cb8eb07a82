# The ABA problem of a stack without locks, one interleaving. The stack is A, B. Thread 0 starts a pop: it reads
# top = A and next = B, and is held up. Thread 1 pops A, pops B, and pushes A again. Then thread 0 finishes:
#   kind=0  compare-and-swap of the pointer: top is A as before, so it succeeds and makes B the top, which
#           thread 1 had taken for itself
#   kind=1  the top carries a tag that every change raises: it fails
#   kind=2  load-linked and store-conditional: thread 1 wrote the line since, so it fails
param kind = 0
var node[2] {next} line = &node[1], 0
var top line = &node[0]
var succeeded line
var top_is_b line         # at the end
event read
event changed

        bgt  tid, 1, end
        beq  tid, 1, other

        beq  kind, 2, linked
        ld   r1, top
        jmp  have_top
linked:
        ll   r1, top
have_top:
        and  r2, r1, 0xffffffff
        ld   r3, [r2 + node.next]
        signal read
        await changed, 1
        beq  kind, 2, conditional
        mov  r4, r3
        beq  kind, 0, swap_top
        shr  r5, r1, 32
        add  r5, r5, 1
        shl  r5, r5, 32
        or   r4, r5, r3
swap_top:
        cas  r6, top, r1, r4
        bne  r6, r1, look
        st   succeeded, 1
        jmp  look
conditional:
        sc   r6, top, r3
        st   succeeded, r6
look:
        ld   r1, top
        and  r1, r1, 0xffffffff
        bne  r1, &node[1], end
        st   top_is_b, 1
        halt

other:
        await read, 1
        mov  r10, 2               # pop A, pop B
pop:
        ld   r1, top
        and  r2, r1, 0xffffffff
        ld   r3, [r2 + node.next]
        mov  r4, r3
        bne  kind, 1, pop_swap
        shr  r5, r1, 32
        add  r5, r5, 1
        shl  r5, r5, 32
        or   r4, r5, r3
pop_swap:
        cas  r6, top, r1, r4
        sub  r10, r10, 1
        bne  r10, 0, pop
        # push A
        ld   r1, top
        and  r3, r1, 0xffffffff
        lea  r2, node[0]
        st   [r2 + node.next], r3
        mov  r4, r2
        bne  kind, 1, push_swap
        shr  r5, r1, 32
        add  r5, r5, 1
        shl  r5, r5, 32
        or   r4, r5, r2
push_swap:
        cas  r6, top, r1, r4
        signal changed
end:
