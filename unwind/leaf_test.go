package unwind

import (
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// TestIsLeaf: a caller may have the same sp where the return address was in a register.
func TestIsLeaf(t *testing.T) {
	inRegister, onStack := &rule.Rule{RA: rule.Add(5, 0)}, &rule.Rule{RA: rule.At(7, -8)}
	for _, c := range []struct {
		name  string
		arch  task.Arch
		first bool
		by    Method
		rule  *rule.Rule
		want  bool
	}{
		{"vfork, which has taken it from the stack", task.AMD64, true, ByCFI, inRegister, true},
		{"the same of i386", task.I386, true, ByCFI, inRegister, true},
		{"its caller", task.AMD64, false, ByCFI, inRegister, false},
		{"on the stack", task.AMD64, true, ByCFI, onStack, false},
		{"a guess", task.AMD64, true, ByFramePointer, inRegister, false},
		{"arm64's leaf", task.ARM64, true, ByLinkRegister, inRegister, true},
		{"arm64's outlined code", task.ARM64, false, ByAnalysis, inRegister, true},
		{"arm64's frame record", task.ARM64, true, ByFramePointer, onStack, false},
		{"arm64's caller", task.ARM64, false, ByCFI, inRegister, false},
	} {
		w := &walk{first: c.first}
		w.arch = c.arch
		if got := w.isLeaf(c.rule, c.by); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
