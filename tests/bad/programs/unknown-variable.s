var lock line
        tas  r2, lok
