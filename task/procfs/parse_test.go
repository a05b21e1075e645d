//go:build linux

package procfs

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/task"
)

var mapsLines = map[string]task.Region{
	"00400000-00452000 r-xp 00001000 08:02 173521      /usr/bin/dbus-daemon": {
		Start: 0x400000, End: 0x452000, Prot: task.Read | task.Execute, Offset: 0x1000,
		Dev: 0x802, Inode: 173521, Path: "/usr/bin/dbus-daemon",
	},
	"7ffd0000-7ffe0000 rw-s 00000000 103:10005 0": {
		Start: 0x7ffd0000, End: 0x7ffe0000, Prot: task.Read | task.Write, Shared: true, Dev: 0x10010305,
	},
	`1000-2000 ---p 0 00:00 7 /a b\012c (deleted)`: {
		Start: 0x1000, End: 0x2000, Inode: 7, Path: "/a b\nc", PathDeleted: true,
	},
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]": {
		Start: 0xffffffffff600000, End: 0xffffffffff601000, Prot: task.Execute, Path: "[vsyscall]",
	},
}

func TestParseRegion(t *testing.T) {
	for line, want := range mapsLines {
		got, err := parseRegion([]byte(line))
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", line, diff)
		}
	}
	for _, line := range []string{
		"", "x", "1000", "1000-", "1000-2000", "2000-1000 r--p 0 0:0 0", "1-2 r--p 0 0:0 x",
		"11112222333344445-2 r--p 0 0:0 0", "1-2 r--p 0 0:0 99999999999999999999",
	} {
		if r, err := parseRegion([]byte(line)); err == nil {
			t.Errorf("%q was taken for %+v", line, r)
		}
	}
}

func FuzzParseRegion(f *testing.F) {
	for line := range mapsLines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parseRegion(line)
		if err == nil && r.End < r.Start {
			t.Errorf("%+v", r)
		}
		if m, ok := parseMapped(line); ok && (err != nil || m.Mapping != r.Mapping() || m.End != r.End || r.Prot&task.Execute == 0) {
			t.Errorf("%+v, but %+v", m, r)
		}
		_, _ = parseFaults(line)
		var s spanTable
		s.read(line)
		if n := len(s.all); n > len(line) {
			t.Errorf("%d spans", n)
		}
	})
}

func TestStackRange(t *testing.T) {
	var s spanTable
	s.read([]byte("1000-2000 ---p 0 0:0 0\n2000-5000 rw-p 0 0:0 0\n7000-8000 rw-p 0 0:0 0 [stack]\nnonsense\n9000-a000 r--p 0 0:0 0"))
	for sp, want := range map[task.Addr][2]task.Addr{
		0x2010: {0x2000, 0x5000}, // the red zone ends with the mapping
		0x4000: {0x4000 - task.RedZone, 0x5000},
		0x5000: {0x5000 - task.RedZone, 0}, // just above
		0x1800: {0x1800 - task.RedZone, 0}, // not readable
		0x7f00: {0x7f00 - task.RedZone, 0x8000},
		0x9fff: {0x9fff - task.RedZone, 0xa000},
		0x10:   {0, 0},
	} {
		if from, top := s.stackRange(sp); from != want[0] || top != want[1] {
			t.Errorf("sp %v: %v to %v, want %v", sp, from, top, want)
		}
	}
}

const statLine = "4242 (a (b) c)) S 17 4242 4242 0 -1 4194560 100 0 0 0 250 75 0 0 20 0 3 0 123456 1 2 18446744073709551615 1 1 0\n"

func TestParseStat(t *testing.T) {
	s, err := parseStat([]byte(statLine))
	if err != nil {
		t.Fatal(err)
	}
	if string(s.name) != "a (b) c)" || s.state != 'S' || s.parent != 17 || s.flags != 4194560 ||
		s.user != 2500*time.Millisecond || s.system != 750*time.Millisecond || s.start != 1234560*time.Millisecond {
		t.Errorf("%+v %q", s, s.name)
	}
	if s.processor != -1 {
		t.Errorf("processor %d, which is not told", s.processor)
	}
	s, err = parseStat([]byte(strings.Replace(statLine, "1 1 0\n", "1 1 0 4 5 6 7 8 9 10 11 12 17 3 99\n", 1)))
	if err != nil || s.processor != 3 {
		t.Errorf("processor %d, %v", s.processor, err)
	}
	for _, b := range []string{"", "1 (x", ") (", "1 (x) S", "1 (x) SS 1 1", "1 ()", strings.Replace(statLine, "17", "x", 1)} {
		if _, err := parseStat([]byte(b)); err == nil {
			t.Errorf("%q was taken", b)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte(statLine))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := parseStat(b)
		if err == nil && (s.user < 0 || s.system < 0 || s.start < 0) {
			t.Errorf("%+v", s)
		}
	})
}

func TestThreadState(t *testing.T) {
	for letter, want := range map[byte]task.State{
		'R': task.Running, 'S': task.Sleeping, 'D': task.Uninterruptible, 'T': task.Stopped,
		't': task.Stopped, 'Z': task.Ended, 'X': task.Ended, '?': task.StateUnknown,
	} {
		if got := threadState(letter); got != want {
			t.Errorf("%c is %v, want %v", letter, got, want)
		}
	}
}

func TestStatusNumber(t *testing.T) {
	status := []byte("Name:\tx\nTgid:\t12\nTracerPid:\t0\nUid:\t1000\t1000\t0\t0\nBad:\t99999999999\n")
	for key, want := range map[string]int{"Tgid:": 12, "TracerPid:": 0, "Uid:": 1000, "Bad:": 0, "None:": 0} {
		if got := statusNumber(status, key); got != want {
			t.Errorf("%s %d, want %d", key, got, want)
		}
	}
}

func dirent(name string) []byte {
	b := make([]byte, direntSizeOf(name))
	binary.LittleEndian.PutUint16(b[direntLen:], uint16(len(b)))
	copy(b[direntName:], name)
	return b
}

func direntSizeOf(name string) int { return (direntName + len(name) + 1 + 7) &^ 7 }

func TestNextThread(t *testing.T) {
	var b []byte
	for _, name := range []string{".", "..", "7", "self", "123456", "99999999999999999999", "0"} {
		b = append(b, dirent(name)...)
	}
	var got []int
	for tid, rest := NextThread(b); tid != 0; tid, rest = NextThread(rest) {
		got = append(got, tid)
	}
	if !cmp.Equal(got, []int{7, 123456}) {
		t.Errorf("%v", got)
	}
}

func FuzzNextThread(f *testing.F) {
	f.Add(append(dirent("1"), dirent("22")...))
	f.Add([]byte{20: 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		n := 0
		for tid, rest := NextThread(b); tid != 0; tid, rest = NextThread(rest) {
			if n++; n > len(b) {
				t.Fatal("does not end")
			}
		}
	})
}

func TestPrettyName(t *testing.T) {
	for file, want := range map[string]string{
		"NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n": "Debian GNU/Linux 12 (bookworm)",
		"PRETTY_NAME='Alpine Linux v3.19'":                         "Alpine Linux v3.19",
		"PRETTY_NAME=Arch":                                         "Arch",
		"PRETTY_NAME=\"broken":                                     "broken",
		"":                                                         "",
	} {
		if got := prettyName([]byte(file)); got != want {
			t.Errorf("%q gives %q, want %q", file, got, want)
		}
	}
}

func TestArchOf(t *testing.T) {
	header := func(class byte, machine uint16) []byte {
		b := append([]byte("\x7fELF"), make([]byte, 16)...)
		b[4], b[5] = class, 1
		binary.LittleEndian.PutUint16(b[18:], machine)
		return b
	}
	for want, h := range map[task.Arch][]byte{
		task.AMD64: header(2, 62), task.ARM64: header(2, 183), task.I386: header(1, 3), task.ARM: header(1, 40),
	} {
		if got := archOf(h); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	for _, h := range [][]byte{nil, []byte("\x7fELF"), header(2, 8), make([]byte, 64)} {
		if got := archOf(h); got != task.UnknownArch {
			t.Errorf("%x is %v", h, got)
		}
	}
}

func TestRemedyNamesWhatHelps(t *testing.T) {
	const all, docker = 1<<41 - 1, 0xa80425fb // docker's own set, without SYS_PTRACE
	ids := func(id int) [4]int { return [4]int{id, id, id, id} }
	of := func(id int, permitted uint64) credentials {
		c := credentials{uids: ids(id), gids: ids(id), permitted: permitted, boundaries: all}
		if id == 0 {
			c.effective = permitted
		}
		return c
	}
	confined := func(c credentials) credentials { c.boundaries = docker; return c }
	labelled := func(c credentials, label string) credentials { c.label = label; return c }
	filtered := func(c credentials) credentials { c.filtered = true; return c }
	stuck := func(c credentials) credentials { c.noNewPrivs = true; return c }
	group := func(c credentials) credentials { c.gids[2] = 9; return c }
	for want, c := range map[string]circumstances{
		"nobody may attach": {self: of(0, all), target: of(5, 0), scope: "3"},
		"give this container or service CAP_SYS_PTRACE (docker run --cap-add=SYS_PTRACE), for it has capabilities that we lack: CAP_SYS_RESOURCE": {
			self: confined(of(0, docker)), target: of(0, docker|1<<24)},
		"CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER, 37 more":      {self: of(5, 0), target: of(5, all)},
		"run sudo stacksnap -p 26794, for it belongs to another user (redis, uid 7)": {pid: 26794, self: of(5, 0), target: of(7, 0), ownerName: "redis"},
		"another user (uid 7)": {self: of(5, 0), target: of(7, 0)},
		"set-uid or set-gid":   {self: of(5, 0), target: group(of(5, 0))},
		"not dumpable":         {self: of(5, 0), target: of(5, 0), undumpable: true},
		"run sudo stacksnap -p 8, or sudo sysctl kernel.yama.ptrace_scope=0, for kernel.yama.ptrace_scope 1": {pid: 8, self: of(5, 0), target: of(5, 0), scope: "1"},
		"run sudo stacksnap -p 9, for it is protected":                                                       {pid: 9, self: of(5, 0), target: of(5, 0), scope: "1", undumpable: true},
		"run sudo stacksnap -p 10, for it has":                                                               {pid: 10, self: of(5, 0), target: of(5, 1), scope: "1"},
		"ptrace_scope 2 asks":                                                                                {self: of(5, 0), target: of(5, 0), scope: "2"},
		"(docker run --security-opt seccomp=unconfined":                                                      {self: filtered(of(0, all)), target: of(5, 0)},
		"a seccomp filter may":                                                                               {self: filtered(of(5, 0)), target: of(5, 0)},
		`label "docker-default" that this`:                                                                   {self: labelled(of(0, all), "docker-default"), target: labelled(of(5, 0), "unconfined")},
		`label "x" that pid 3 has`:                                                                           {pid: 3, self: labelled(of(0, all), "unconfined"), target: labelled(of(5, 0), "x")},
		"a user namespace that is":                                                                           {self: labelled(of(0, all), "u:unconfined_t:s0"), target: of(5, 0)},
		"another user namespace":                                                                             {self: of(0, all), target: of(0, 0), otherNS: true},
		"NoNewPrivs is set":                                                                                  {self: stuck(of(5, 0)), target: of(7, 0)},
		"taken from this process":                                                                            {self: of(0, 1), target: of(0, 3)},
	} {
		if got := c.remedy(); !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
	if got := (&circumstances{scope: "1"}).scopeNote(); !strings.Contains(got, "kernel/yama/ptrace_scope is 1") {
		t.Error(got)
	}
	if got := (&circumstances{scope: "0"}).scopeNote(); got != "" {
		t.Error(got)
	}
}

func TestReadCredentials(t *testing.T) {
	const status = "Name:\tx\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nCapPrm:\t0000000001000000\nCapEff:\t0000000000080000\nCapBnd:\t000001ffffffffff\nNoNewPrivs:\t1\nSeccomp:\t2\n"
	want := credentials{[4]int{1, 2, 3, 4}, [4]int{5, 6, 7, 8}, 1 << capSysPtrace, 1 << 24, 1<<41 - 1, true, true, "l"}
	if got := readCredentials([]byte(status), "l"); got != want {
		t.Errorf("%+v", got)
	}
	for n, name := range map[int]string{0: "CAP_CHOWN", capSysPtrace: "CAP_SYS_PTRACE", 24: "CAP_SYS_RESOURCE", 40: "CAP_CHECKPOINT_RESTORE", 41: "capability 41"} {
		if got := capabilityName(n); got != name {
			t.Errorf("%d: %s, want %s", n, got, name)
		}
	}
}

// Truth from /proc of this very process, where there is one.
func TestParseOurOwnMaps(t *testing.T) {
	b, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if _, err := parseRegion([]byte(strings.TrimSuffix(line, "\n"))); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestParseCommand(t *testing.T) {
	for in, want := range map[string][]string{
		"sleep\x001\x00": {"sleep", "1"}, "a\x00\x00b c\x00": {"a", "", "b c"}, "": nil, "\x00\x00": nil,
		"nginx: master process\x00\x00\x00\x00": {"nginx: master process"}, "no end": {"no end"},
	} {
		if got := parseCommand([]byte(in)); !slices.Equal(got.Args, want) || got.Cut {
			t.Errorf("%q: %q", in, got.Args)
		}
	}
	if got := parseCommand(bytes.Repeat([]byte("x\x00"), task.MaxArguments+1)); len(got.Args) != task.MaxArguments || !got.Cut {
		t.Errorf("%d arguments, cut %v", len(got.Args), got.Cut)
	}
}

func TestCPUsListed(t *testing.T) {
	for list, want := range map[string]int{
		"0-3\n": 4, "0": 1, "0,2-3,8-8\n": 4, "": 0, "x": 0, "3-1": 0, "-1": 0, "0-9999999999": 0, "1-": 0,
	} {
		if got := cpusListed(list); got != want {
			t.Errorf("%q: %d, want %d", list, got, want)
		}
	}
}

func TestRealUser(t *testing.T) {
	for status, want := range map[string]int{
		"Uid:\t1000\t0\t0\t0\n": 1000, "Uid:\t0\t0\n": 0, "Uid:\t4294967294\t0\n": 4294967294,
		"Uid:\t4294967296\t0\n": -1, "Uid:\n": -1, "Gid:\t5\n": -1, "": -1,
	} {
		if got := realUser([]byte(status)); got != want {
			t.Errorf("%q: %d, want %d", status, got, want)
		}
	}
}
