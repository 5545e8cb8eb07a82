event never
        await never, 1
