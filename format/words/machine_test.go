package words

import (
	"strings"
	"testing"

	"stacksnap/task"
)

func TestCommandLine(t *testing.T) {
	for want, args := range map[string][]string{
		"":                              nil,
		`a -b=c,d /e`:                   {"a", "-b=c,d", "/e"},
		`a "" "b c" "d\"e" "it's"`:      {"a", "", "b c", `d"e`, "it's"},
		`a "\x1b[31m" "b\\c" "\nd"`:     {"a", "\x1b[31m", `b\c`, "\nd"},
		`"nginx: master process /x -g"`: {"nginx: master process /x -g"},
		`sh -c "sleep 0.2; \$(x) \` + "`y\\`" + ` $HOME"`: {"sh", "-c", "sleep 0.2; $(x) `y` $HOME"},
		`a "a|b" Main$Inner * ~ "(x)" "#"`:                {"a", "a|b", "Main$Inner", "*", "~", "(x)", "#"},
	} {
		if got := CommandLine(task.Command{Args: args}); got != want {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
	if got := CommandLine(task.Command{Args: []string{"a"}, Cut: true}); got != "a …" {
		t.Error(got)
	}
	long := CommandLine(task.Command{Args: strings.Fields(strings.Repeat("ab ", 4000))})
	if len(long) > MaxPath+10 || !strings.HasSuffix(long, "ab …") {
		t.Errorf("%d bytes: …%s", len(long), long[len(long)-20:])
	}
}

func TestByteSize(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 100 << 10: "100 KiB", 14_912_512: "14.2 MiB",
		16 << 30: "16 GiB", 1<<64 - 1: "16 EiB",
	} {
		if got := byteSize(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestHardwareLeavesOutWhatIsUnknown(t *testing.T) {
	for want, m := range map[string]task.Machine{
		"": {}, "X": {Model: "X"}, "1 processor": {CPUs: 1, Active: 1}, "8 processors": {CPUs: 8},
		"X, Y, 8 processors (6 in use), 1 GiB of memory": {Model: "X", CPU: "Y", CPUs: 8, Active: 6, Memory: 1 << 30},
	} {
		if got := hardware(&m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, f := range map[string]task.Footprint{
		"": {Peak: 5}, "2 KiB": {Now: 2048}, "2 KiB (peak 3 KiB)": {Now: 2048, Peak: 3072}, "3 KiB": {Now: 3072, Peak: 2048},
	} {
		if got := footprint(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCrashed(t *testing.T) {
	for _, tt := range []struct {
		crash *task.Crash
		want  string
	}{
		{nil, ""},
		{&task.Crash{Signal: "SIGSEGV"}, "SIGSEGV"},
		{&task.Crash{Signal: "SIGSEGV", Detail: "address 0x10 not mapped", Thread: 4711}, "SIGSEGV (address 0x10 not mapped) in thread 4711"},
		{&task.Crash{Signal: "SIG\x1b[2J"}, `SIG\x1b[2J`},
	} {
		if got := crashed(tt.crash); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.crash, got, tt.want)
		}
	}
}
