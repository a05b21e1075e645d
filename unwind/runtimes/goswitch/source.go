package goswitch

import (
	"bytes"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// maxCode is how many bytes after the call are examined; the longest known code has
// 52.
const maxCode = 96

// makesRecord is the start of an AMD64 function whose frame pointer is its stack
// pointer: push %rbp; mov %rsp, %rbp.
var makesRecord = []byte{0x55, 0x48, 0x89, 0xe5}

// Rule returns the rule of runtime.asmcgocall, which starts at start, in the call
// that ends at q.PC, decoded from the instructions after the call. The error is
// [rule.ErrNone] if they do not switch back to another stack.
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
		return rule.Rule{Expression: a, Flags: rule.OtherStack | rule.Unproven}, nil
	}
	return rule.Rule{}, rule.ErrNone
}
