        laod r1, r2
