# A lock whose holder is now and then descheduled: in every `every`-th critical section of a thread for `away` turns or
# cycles. lock_free=1: each thread instead does its work by itself and then counts it with a compare-and-swap; it is
# descheduled as often, and nobody waits for it.
param rounds = 64
param work = 100          # turns in the critical section
param every = 8
param away = 1000
param lock_free = 0
var next_ticket line
var serving line
var word line

        mov  r1, rounds
        rem  r8, tid, every       # threads are descheduled in different rounds
        beq  lock_free, 1, free
again:
        fadd r2, next_ticket, 1
mine:
        ld   r3, serving
        bne  r3, r2, mine
        delay work
        add  r8, r8, 1
        rem  r9, r8, every
        bne  r9, 0, leave
        delay away
leave:
        add  r3, r3, 1
        st   serving, r3
        sub  r1, r1, 1
        bne  r1, 0, again
        halt
free:
        delay work
        add  r8, r8, 1
        rem  r9, r8, every
        bne  r9, 0, try
        delay away
try:
        ld   r2, word
        add  r3, r2, 1
        cas  r4, word, r2, r3
        bne  r4, r2, try
        sub  r1, r1, 1
        bne  r1, 0, free
