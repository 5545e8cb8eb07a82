# A grid solver in red and black: every thread updates the points of one colour of its block, then the other, each from
# itself and its four neighbours (at the rim from itself). All threads are in step, since each does as much.
param n = 64              # points in a row and in a column
param across = 1          # blocks side by side; threads / across are one above the other
param rounds = 3          # iterations, of two colours
var grid[n * n] size 4

        div  r10, n, across           # width of a block
        div  r11, threads, across
        div  r11, n, r11              # its height
        rem  r1, tid, across
        mul  r12, r1, r10             # first column
        div  r1, tid, across
        mul  r13, r1, r11             # first row
        add  r14, r12, r10            # behind the last column
        add  r15, r13, r11            # behind the last row
        mov  r20, 0
round:
        mov  r2, 0                    # colour
colour:
        mov  r3, r13                  # row
row:
        add  r1, r3, r2
        add  r1, r1, r12
        and  r1, r1, 1
        add  r4, r12, r1              # column of the first point of the colour
point:
        mul  r5, r3, n
        add  r5, r5, r4               # the point
        sub  r6, r5, n
        bne  r3, 0, below
        mov  r6, r5
below:
        add  r7, r5, n
        bne  r3, n - 1, left
        mov  r7, r5
left:
        sub  r8, r5, 1
        bne  r4, 0, right
        mov  r8, r5
right:
        add  r9, r5, 1
        bne  r4, n - 1, update
        mov  r9, r5
update:
        ld   r16, grid[r5]
        ld   r17, grid[r6]
        add  r16, r16, r17
        ld   r17, grid[r7]
        add  r16, r16, r17
        ld   r17, grid[r8]
        add  r16, r16, r17
        ld   r17, grid[r9]
        add  r16, r16, r17
        div  r16, r16, 5
        st   grid[r5], r16
        add  r4, r4, 2
        blt  r4, r14, point
        add  r3, r3, 1
        blt  r3, r15, row
        add  r2, r2, 1
        blt  r2, 2, colour
        add  r20, r20, 1
        blt  r20, rounds, round
