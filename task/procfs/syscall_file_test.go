//go:build linux

package procfs

import (
	"testing"
	"time"

	"stacksnap/task"
)

func TestParseSyscall(t *testing.T) {
	tests := []struct {
		file string
		want task.Syscall
		bad  bool
	}{
		{file: "running\n", want: task.Syscall{State: task.OnProcessor}},
		{file: "-1 0x7ffe 0x401000\n", want: task.Syscall{State: task.InFault, Number: -1, SP: 0x7ffe, PC: 0x401000}},
		{
			file: "202 0x7f00 0x80 0x2 0x0 0x0 0x0 0x7ffd10 0x7f1234\n",
			want: task.Syscall{State: task.InCall, Number: 202, Args: [6]uint64{0x7f00, 0x80, 2}, SP: 0x7ffd10, PC: 0x7f1234},
		},
		{file: "", bad: true},
		{file: "stopped", bad: true},
		{file: "1 2", bad: true},
		{file: "1 0x1 2", bad: true},
		{file: "0x1 0x1 0x2", bad: true},
		{file: "1 0x1 0x1 0x1 0x1 0x1 0x1 0x1 0x1 0x1", bad: true},
		{file: "1 0x1 0x1 0x1 0x1 0x1 0x1 0x1 0x10000000000000000", bad: true},
	}
	for _, test := range tests {
		got, err := ParseSyscall([]byte(test.file))
		if got != test.want || (err != nil) != test.bad {
			t.Errorf("%q: %+v, %v", test.file, got, err)
		}
	}
}

func TestSchedule(t *testing.T) {
	for file, want := range map[string][2]time.Duration{
		"907127 269526 1\n": {907127, 269526}, "": {}, "x y": {}, "99999999999999999999 1": {0, 1}, "18446744073709551615": {1 << 62},
	} {
		if ran, queued := schedule([]byte(file)); ran != want[0] || queued != want[1] {
			t.Errorf("%q: %v, %v", file, ran, queued)
		}
	}
}

func FuzzParseSyscall(f *testing.F) {
	f.Add([]byte("202 0x7f00 0x80 0x2 0x0 0x0 0x0 0x7ffd10 0x7f1234\n"))
	f.Add([]byte("-1 0x7ffe 0x401000\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := ParseSyscall(b); err != nil && c != (task.Syscall{}) {
			t.Errorf("%+v with an error", c)
		}
	})
}
