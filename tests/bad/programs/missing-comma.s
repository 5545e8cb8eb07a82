var lock
        st   lock 1
