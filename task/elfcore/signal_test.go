package elfcore_test

import (
	"encoding/binary"
	"testing"

	"stacksnap/task"
)

// hit is an NT_PRSTATUS with a signal, and that signal's NT_SIGINFO.
func hit(tid uint32, number, code int32, at uint64) []note {
	s := status(8, 27, tid)
	binary.LittleEndian.PutUint16(s.body[12:], uint16(number))
	info := make([]byte, 128)
	binary.LittleEndian.PutUint32(info, uint32(number))
	binary.LittleEndian.PutUint32(info[8:], uint32(code))
	binary.LittleEndian.PutUint64(info[16:], at)
	return []note{s, {0x53494749, info}}
}

func TestCrash(t *testing.T) {
	for _, tt := range []struct {
		number, code int32
		at           uint64
		want         string
	}{
		{11, 1, 0x10, "SIGSEGV (address 0x10 not mapped)"},
		{11, 2, 0x4000, "SIGSEGV (access to address 0x4000 not permitted)"},
		{11, 128, 0, "SIGSEGV (an address that no process can have, or no access at all)"},
		{11, 0, 4711, "SIGSEGV (sent by process 4711)"},
		{7, 2, 0x5000, "SIGBUS (address 0x5000 has no memory behind it, as beyond the end of a mapped file)"},
		{8, 1, 0x1234, "SIGFPE (integer division by zero at 0x1234)"},
		{6, -6, 42, "SIGABRT (raised by the process itself)"},
		{6, 0, 99, "SIGABRT (sent by process 99)"},
		{5, 1, 0, "SIGTRAP (breakpoint)"},
		{31, 1, 0, "SIGSYS"},
		{19, 0, 1, ""}, // SIGSTOP: gcore's
	} {
		im := image{machine: machineX86_64, size: 8, notes: append(hit(43, tt.number, tt.code, tt.at), info(8, 42, 7, "worker"))}
		// The kernel writes the signal's number into the status of every thread.
		im.notes = append(im.notes, hit(42, tt.number, 0, 0)[0])
		c := open(t, im.bytes()).Info().Crash
		switch {
		case tt.want == "" && c != nil:
			t.Errorf("signal %d: %v", tt.number, c)
		case tt.want != "" && (c == nil || c.String() != tt.want || c.Thread != 43):
			t.Errorf("signal %d, code %d: %v, want %s in thread 43", tt.number, tt.code, c, tt.want)
		}
	}
}

// A siginfo that is none, or of another signal than the status tells, tells nothing.
func TestCrashWithoutDetail(t *testing.T) {
	notes := hit(42, 11, 1, 0x10)
	notes[1].body[0] = 6
	if c := open(t, (&image{machine: machineX86_64, size: 8, notes: notes}).bytes()).Info().Crash; c == nil || c.String() != "SIGSEGV" {
		t.Errorf("%v", c)
	}
	notes[1].body = notes[1].body[:20]
	p := open(t, (&image{machine: machineX86_64, size: 8, notes: notes}).bytes())
	if c := p.Info().Crash; c == nil || c.String() != "SIGSEGV" || len(p.Info().Problems) != 1 {
		t.Errorf("%v, %v", c, p.Info().Problems)
	}
}

// Only a thread whose wait was ended for the core was in a call.
func TestCallOfACore(t *testing.T) {
	const rax, origRAX = 112 + 8*10, 112 + 8*15
	for _, tt := range []struct {
		number, result int64
		want           task.CallState
	}{
		{202, -512, task.InCall}, {230, -516, task.InCall}, {232, -4, task.InCall},
		{202, 0, task.OnProcessor}, {202, -11, task.OnProcessor}, {-1, -512, task.OnProcessor},
	} {
		s := status(8, 27, 42)
		binary.LittleEndian.PutUint64(s.body[rax:], uint64(tt.result))
		binary.LittleEndian.PutUint64(s.body[origRAX:], uint64(tt.number))
		p := open(t, (&image{machine: machineX86_64, size: 8, notes: []note{s}}).bytes())
		c, err := p.Syscall(42)
		if err != nil || c.State != tt.want {
			t.Errorf("%d, %d: %+v, %v", tt.number, tt.result, c, err)
		}
		if want := [6]uint64{15, 14, 13, 8, 10, 9}; tt.want == task.InCall && (c.Number != int(tt.number) || c.Args != want || c.SP != 20 || c.PC != 17) {
			t.Errorf("%+v", c)
		}
		var th task.Thread
		_ = p.Describe(42, &th)
		if (th.State == task.Sleeping) != (tt.want == task.InCall) {
			t.Errorf("%d, %d: state %v", tt.number, tt.result, th.State)
		}
		if _, err := p.Syscall(7); err != task.ErrThreadGone {
			t.Error(err)
		}
	}
}
