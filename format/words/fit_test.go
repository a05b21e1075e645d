package words

import (
	"strings"
	"testing"

	"stacksnap/format/profile"
)

func TestWrapped(t *testing.T) {
	for _, c := range []struct {
		text        string
		width, hang int
		want        string
	}{
		{"a b c", 0, 2, "a b c"},
		{"a b c", 5, 2, "a b c"},
		{"a b c", 4, 2, "a b\n  c"},
		{"  waits in read: fd 3", 12, 4, "  waits in\n    read: fd\n    3"},
		{"Path:            /a/very/long/path", 20, 17, "Path:\n                 /a/very/long/path"},
		{"toolongword b", 5, 1, "toolongword\n b"},
		{"\x1b[1maa\x1b[0m bb", 5, 1, "\x1b[1maa\x1b[0m bb"},
		{"漢字 b", 5, 1, "漢字\n b"},
		{"", 5, 1, ""},
		{"CPU 0.500 s, 98 % system", 12, 1, "CPU 0.500 s,\n 98 % system"},
		{"CPU 0.500 s, 98 % system", 10, 1, "CPU\n 0.500 s,\n 98 %\n system"},
		{"in \x1b[1m3 ms\x1b[0m on", 5, 1, "in\n \x1b[1m3 ms\x1b[0m\n on"},
		{"4 slow", 4, 1, "4\n slow"},
	} {
		if got := strings.Join(Wrapped(c.text, c.width, c.hang), "\n"); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// TestLevels: as deep as there is room for a frame, and never too flat.
func TestLevels(t *testing.T) {
	for _, c := range []struct{ width, total, want int }{{0, 0, maxIndent}, {0, 5, maxIndent}, {80, 0, 18}, {100, 5, 20}, {80, 5, 10}, {10, 5, leastLevels}} {
		if got := (&Printer{Width: c.width, Total: c.total}).levels(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	if (&Printer{Width: 80}).Number(Position{Level: 18}) != "#1 " || (&Printer{Width: 80}).Number(Position{Level: 17}) != "" {
		t.Error("the number of a frame")
	}
}

// TestFitted: what is dropped of a frame's line, in order, until it fits. The source line
// of the program's own code is whole whatever the width.
func TestFitted(t *testing.T) {
	own := &profile.Image{Path: "/bin/shop", Main: true, Load: 0x1000}
	libc := &profile.Image{Path: "/lib/libc.so.6", Load: 0x9000}
	pay := profile.Location{Image: own, Function: "bank::pay(Account&, Account&)", Offset: 14, File: "/src/bank/payments.cpp", Line: 1234}
	lock := profile.Location{Image: libc, Function: "pthread_mutex_lock", Offset: 274, File: "/build/pthread_mutex_lock.c", Line: 48}
	for _, c := range []struct {
		of    profile.Location
		width int
		want  string
	}{
		{pay, 0, "  bank::pay(Account&, Account&) + 14 (shop) [0x1100]  payments.cpp:1234  0.1 s"},
		{pay, 80, "  bank::pay(Account&, Account&) + 14 (shop) [0x1100]  payments.cpp:1234  0.1 s"},
		{pay, 75, "  bank::pay(Account&, Account&) + 14 (shop)  payments.cpp:1234  0.1 s"},
		{pay, 67, "  bank::pay(Account&, Account&) + 14 (shop)  payments.cpp:1234"},
		{pay, 60, "  bank::pay(Account&, Account&) (shop)  payments.cpp:1234"},
		{pay, 50, "  bank::pay(…) (shop)  payments.cpp:1234"},
		{pay, 37, "  bank::pay (shop)  payments.cpp:1234"},
		{pay, 35, "  bank::pay(…)  payments.cpp:1234"},
		{pay, 5, "  bank::pay  payments.cpp:1234"},
		{lock, 60, "  pthread_mutex_lock (libc.so.6)  pthread_mutex_lock.c:48"},
		{lock, 50, "  pthread_mutex_lock  pthread_mutex_lock.c:48"},
		{lock, 40, "  pthread_mutex_lock"},
		{lock, 5, "  pthread_mutex_lock"},
	} {
		var b strings.Builder
		p := NewPrinter(&b, &profile.Profile{}, Options{Width: c.width})
		p.Fitted("  ", &profile.Node{PC: 0x1100, Location: c.of}, "  0.1 s")
		if err := p.Flush(); err != nil || b.String() != c.want+"\n" {
			t.Errorf("in %d columns: %q, want %q", c.width, b.String(), c.want)
		}
	}
}
