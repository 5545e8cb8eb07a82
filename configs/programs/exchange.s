# Two threads write a block of lines each and meanwhile read what the other one wrote in the round before: stores that
# miss between loads that miss. The fences are those that the weakest memory order needs; stronger ones pass them at
# once.
param rounds = 20
param lines = 16
var block[lines * 4] line    # by parity of the round, thread, number
var round[2] line            # that a thread has finished
var sum[2] line              # of all that it read: lines x rounds x (rounds - 1) / 2 at the end

        bgt  tid, 1, end
        sub  r8, 1, tid           # the other thread
        mul  r9, tid, lines
        mul  r10, r8, lines
        mov  r1, 0
next_round:
        add  r1, r1, 1
        rem  r2, r1, 2
        mul  r2, r2, lines
        mul  r2, r2, 2            # this round's blocks
        mov  r3, 0
next_line:
        add  r4, r2, r9
        add  r4, r4, r3
        st   block[r4], r1
        sub  r5, lines * 2, r2    # the blocks of the round before
        add  r5, r5, r10
        add  r5, r5, r3
        ld   r6, block[r5]
        add  r7, r7, r6
        add  r3, r3, 1
        blt  r3, lines, next_line
        fence w, w                # the block before the round's number
        st   round[tid], r1
wait:
        ld   r6, round[r8]
        blt  r6, r1, wait
        fence r, r                # the number before the block
        blt  r1, rounds, next_round
        st   sum[tid], r7
end:
