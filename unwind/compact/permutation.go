package compact

// permutation decodes which n of the registers 1 to 6 a frameless function saved,
// lowest address first. Each is coded as a digit: the number of lower registers not
// used so far. So the i-th digit has 6-i values, and of six registers the last
// follows from the others:
//
//	code = ((d0·(5) + d1)·(4) + d2)…   with 6-1, 6-2, … values behind each digit
func permutation(n int, code uint32) (regs [6]uint8, count int, err error) {
	if n > 6 {
		return regs, 0, ErrEncoding
	}
	used := uint32(0)
	for i := range n {
		weight := uint32(1)
		for j := i + 1; j < n; j++ {
			weight *= uint32(6 - j)
		}
		digit := code / weight
		code %= weight
		reg, ok := unused(used, digit)
		if !ok {
			return regs, 0, ErrEncoding
		}
		regs[i] = reg
		used |= 1 << reg
	}
	return regs, n, nil
}

// unused returns the register of 1 to 6 that has n unused ones below it.
func unused(used, n uint32) (uint8, bool) {
	for reg := uint8(1); reg <= 6; reg++ {
		if used>>reg&1 != 0 {
			continue
		}
		if n == 0 {
			return reg, true
		}
		n--
	}
	return 0, false
}
