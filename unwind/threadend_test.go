package unwind

import "testing"

// TestBirthEnds where the new thread has cleared its frame pointer: what follows is
// its own code.
func TestBirthEnds(t *testing.T) {
	// syscall; test %rax, %rax; jl; je; ret; xor %ebp, %ebp
	code := []byte{0x0f, 0x05, 0x48, 0x85, 0xc0, 0x7c, 0x13, 0x74, 0x01, 0xc3, 0x31, 0xed}
	const clears = 10
	for at := range len(code) + 2 {
		b := make([]byte, 2*maxBirth)
		copy(b[maxBirth-at:], code)
		if got, want := bornAMD64(b), at >= 2 && at <= clears; got != want {
			t.Errorf("at %d: %v", at, got)
		}
	}
}
