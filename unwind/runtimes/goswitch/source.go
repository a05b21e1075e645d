package goswitch

import (
	"bytes"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// maxCode is how many bytes behind the call are looked at: the longest way back
// has 52.
const maxCode = 96

// makesRecord is how a function on AMD64 begins that has its frame pointer where
// its stack pointer is: push %rbp; mov %rsp, %rbp.
var makesRecord = []byte{0x55, 0x48, 0x89, 0xe5}

// Rule is the rule of runtime.asmcgocall, which begins at start, in the call that
// ends at q.PC: what the code behind it does to go back. Where that is not code
// which goes back to another stack, it is [rule.ErrNone].
func Rule(q *rule.Query, start task.Addr) (rule.Rule, error) {
	var code [maxCode]byte
	n, _ := q.Code.ReadMemory(code[:], q.PC+1)
	var b back
	switch {
	case q.First:
	case q.Arch == task.AMD64 && b.amd64(code[:n]), q.Arch == task.ARM64 && b.arm64(code[:n]):
		a := &away{p: b.p, cfa: b.moved, fp: b.fp, ra: b.ra, hasFP: b.hasFP}
		if q.Arch == task.AMD64 {
			a.cfa += 8 // ret
			a.record = b.hasFP && b.fp == 0 && task.ReadFull(q.Code, code[:len(makesRecord)], start) == nil &&
				bytes.HasPrefix(code[:], makesRecord)
		}
		return rule.Rule{Wide: a, Flags: rule.OtherStack | rule.Unproven}, nil
	}
	return rule.Rule{}, rule.ErrNone
}
