# Queue of one producer (thread 0) and one consumer (thread 1), a ring with a head and a tail (Lamport, 1983).
# With batch, the two take turns: batch items are put in, then taken out. With cached, each keeps a copy of the
# other's index and reads it again only when the ring seems full or empty.
param items = 1024
param slots = 1024
param batch = 0           # 0: no turns, each goes as fast as it can
param cached = 0
var tail line             # items put in, written by the producer
var head {index, sum} line   # items taken out, written by the consumer; the sum of all at the end
var ring[slots]
event filled
event drained

        bgt  tid, 1, end
        mov  r1, 0                # items done
        mov  r2, 0                # what I know of the other's index
        mov  r3, 0                # of this batch
        mov  r4, 0                # batches done
        beq  tid, 1, consumer

producer:
        beq  batch, 0, room
        bne  r3, 0, room
        await drained, r4
room:
        beq  cached, 0, look
        sub  r5, r1, r2
        blt  r5, slots, put
look:
        ld   r2, head.index
        sub  r5, r1, r2
        bge  r5, slots, look
put:
        rem  r5, r1, slots
        add  r1, r1, 1
        st   ring[r5], r1
        st   tail, r1
        beq  batch, 0, put_next
        add  r3, r3, 1
        bne  r3, batch, put_next
        mov  r3, 0
        add  r4, r4, 1
        signal filled
put_next:
        blt  r1, items, producer
        signal filled             # a last batch that is not full
        halt

consumer:
        beq  batch, 0, any
        bne  r3, 0, any
        add  r4, r4, 1
        await filled, r4
any:
        beq  cached, 0, check
        bgt  r2, r1, get
check:
        ld   r2, tail
        ble  r2, r1, check
get:
        rem  r5, r1, slots
        ld   r6, ring[r5]
        add  r7, r7, r6
        add  r1, r1, 1
        st   head.index, r1
        beq  batch, 0, get_next
        add  r3, r3, 1
        bne  r3, batch, get_next
        mov  r3, 0
        signal drained
get_next:
        blt  r1, items, consumer
        st   head.sum, r7
end:
