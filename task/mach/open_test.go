package mach

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/task"
	"stacksnap/task/needs"
)

func TestOpenAsksForTheLeastRight(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	var calls []string
	s.before = func(_ int, call string) {
		if strings.HasPrefix(call, "task_") {
			calls = append(calls, call)
		}
	}
	mustClose(t, mustOpen(t, s))
	if got := strings.Join(calls, " "); got != "task_read_for_pid task_info(DYLD) task_info(VM_INFO)" {
		t.Errorf("asked %s", got)
	}
	calls, s.noReadPort = nil, Errno(78)
	mustClose(t, mustOpen(t, s))
	if got := strings.Join(calls, " "); got != "task_read_for_pid task_for_pid task_info(DYLD) task_info(VM_INFO)" {
		t.Errorf("asked %s", got)
	}
	s.balance(t)
}

func TestARefusalNamesTheRemedy(t *testing.T) {
	tests := []struct {
		name   string
		script func(*scripted)
		want   []string
		not    string
	}{
		{"own process", func(*scripted) {}, []string{"sudo", "scripts/sign.sh", "com.apple.security.cs.debugger"}, "get-task-allow"},
		{"own process, of whose signature nothing is known", func(s *scripted) { s.codeErr = noCall }, []string{"scripts/sign.sh", "get-task-allow"}, ""},
		{"another's", func(s *scripted) { s.bsd.uid = 0 }, []string{"another user", "sudo"}, "sign"},
		{"another's, which we may not look at", func(s *scripted) { s.bsdErr = notPermitted }, []string{"another user", "sudo"}, "sign"},
		{"set-uid", func(s *scripted) { s.pflags = flagSetID }, []string{"set-uid", "sudo"}, "sign"},
		{"hardened", func(s *scripted) { s.code = codeRuntime; s.debugger = true }, []string{"hardened", "get-task-allow", "sudo"}, "taskgated"},
		{"hardened, for root", func(s *scripted) { s.code, s.euid = codeRuntime, 0 }, []string{"hardened", "get-task-allow", "stackshot"}, "log show"},
		{"hardened, but allows debuggers", func(s *scripted) { s.code = codeRuntime | codeGetTaskAllow }, []string{"scripts/sign.sh"}, "hardened"},
		{"entitled", func(s *scripted) { s.debugger = true }, []string{"taskgated asks", "_developer", "DevToolsSecurity -enable"}, "sign.sh"},
		{"the system's", func(s *scripted) { s.code = codePlatform }, []string{"System Integrity Protection", "spindump", "run stacksnap with sudo", "stackshot"}, "sign"},
		{"the system's, for root", func(s *scripted) { s.code, s.euid = codePlatform, 0 }, []string{"System Integrity Protection", "spindump"}, "log show"},
		{"restricted", func(s *scripted) { s.code, s.euid = codeRestrict, 0 }, []string{"System Integrity Protection"}, "log show"},
		{"the system's, without protection", func(s *scripted) { s.code, s.euid, s.protects = codePlatform, 0, allowsTaskForPID }, []string{"log show"}, "choose"},
		{"root", func(s *scripted) { s.euid = 0 }, []string{"AMFI", "log show"}, "sudo"},
		{"sandbox", func(s *scripted) { s.sandbox = true }, []string{"sandbox", "Terminal"}, "sudo"},
		{"no developer", func(s *scripted) { s.numbers["security.mac.amfi.developer_mode_status"] = 0 }, []string{"Developer Mode, which is off", "DevToolsSecurity"}, "sign"},
	}
	for _, test := range tests {
		s := newScripted(task.ARM64, 1)
		s.noReadPort, s.noControl = notPermitted, failure
		test.script(s)
		_, err := open(s, s.pid)
		var refused *task.PermissionError
		if !errors.As(err, &refused) || refused.PID != s.pid {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		for _, w := range append(test.want, "task_read_for_pid: EPERM (1)", "task_for_pid: KERN_FAILURE (5)") {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q lacks %q", test.name, err, w)
			}
		}
		if test.name != "no developer" && strings.Contains(err.Error(), "Developer Mode") {
			t.Errorf("%s: %q guesses at Developer Mode", test.name, err)
		}
		if test.not != "" && strings.Contains(refused.Remedy, test.not) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q has %q", test.name, refused.Remedy, test.not)
		}
		s.balance(t)
	}
}

func TestProcessesThatCannotBe(t *testing.T) {
	tests := []struct {
		name   string
		pid    int
		script func(*scripted)
		want   string
	}{
		{"none", 42, func(s *scripted) { s.gone = true }, "no process with pid 42"},
		{"negative", -1, func(*scripted) {}, "no process with pid -1"},
		{"kernel", 0, func(*scripted) {}, "is the kernel"},
		{"self", 7, func(*scripted) {}, "is stacksnap itself"},
		{"zombie", 42, func(s *scripted) { s.bsd.status = statusZombie }, "is a zombie"},
	}
	for _, test := range tests {
		s := newScripted(task.AMD64, 1)
		test.script(s)
		_, err := open(s, test.pid)
		var none *task.NoProcessError
		if !errors.As(err, &none) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
		s.balance(t)
	}
}

func TestAnEndBetweenTheQuestionsIsNoRefusal(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	s.noReadPort, s.noControl = notPermitted, failure
	s.before = func(_ int, call string) {
		if call == "task_for_pid" {
			s.kill()
		}
	}
	_, err := open(s, s.pid)
	var none *task.NoProcessError
	if !errors.As(err, &none) {
		t.Error(err)
	}
}

func TestSuccessWithoutAPortIsARefusal(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	s.nullPorts = true
	_, err := open(s, s.pid)
	var refused *task.PermissionError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "task_read_for_pid: no port; task_for_pid: no port") {
		t.Error(err)
	}
}

func TestTheTranslatedBuildSaysSo(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	s.numbers["sysctl.proc_translated"] = 1
	if _, err := open(s, s.pid); !errors.Is(err, task.ErrUnsupported) || !strings.Contains(err.Error(), "arm64 build") {
		t.Error(err)
	}
}

func TestOpenElsewhere(t *testing.T) {
	if _, err := systemKernel(); err == nil {
		needs.Skip(t, "a system without Mach tasks", "")
	}
	if _, err := Open(1); !errors.Is(err, task.ErrUnsupported) {
		t.Error(err)
	}
	if _, err := List(); !errors.Is(err, task.ErrUnsupported) {
		t.Error(err)
	}
}

func TestReturnsAreNamed(t *testing.T) {
	for r, want := range map[Return]string{
		failure: "KERN_FAILURE (5)", sendInvalidDest: "MACH_SEND_INVALID_DEST (0x10000003)",
		serverDied: "MIG_SERVER_DIED (-308)", Return(99): "Mach error 0x63",
	} {
		if r.Error() != want {
			t.Errorf("%q, want %q", r.Error(), want)
		}
	}
	for e, want := range map[Errno]string{notPermitted: "EPERM (1)", noCall: "ENOSYS (78)", Errno(99): "errno 99"} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
}

func TestList(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	s.all, s.bsd.flags = []int{0, 42, 1}, 0
	got, err := list(s)
	if err != nil || len(got) != 2 || got[0] != (task.Candidate{PID: 42, Name: "program", Path: "/usr/bin/program", ParentPID: 1, Forked: true}) || got[1].Name != "parent" {
		t.Errorf("%v %v", got, err)
	}
	s.bsd.flags |= flagExec
	if got, err = list(s); err != nil || got[0].Forked {
		t.Errorf("after exec: %v %v", got, err)
	}
	s.bsd.status = statusZombie
	if got, err = list(s); err != nil || len(got) != 1 || got[0].Name != "parent" {
		t.Errorf("a zombie: %v %v", got, err)
	}
	s.listErr, s.bsdErr, s.execPath = notSup, notSup, ""
	s.allProcs = []task.Candidate{{PID: 42, Name: "comm"}}
	if got, err = list(s); err != nil || len(got) != 1 || got[0].Name != "comm" {
		t.Errorf("%v %v", got, err)
	}
	s.allProcs = nil
	if _, err = list(s); err == nil || !strings.Contains(err.Error(), "a pid must be given") || !strings.Contains(err.Error(), "ENOTSUP (45)") {
		t.Error(err)
	}
}

func TestChildren(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	s.kids = map[int][]int{7: {0, 8, 9}}
	if got, known := children(s, 7); !known || !slices.Equal(got, []int{8, 9}) {
		t.Errorf("%v, %v", got, known)
	}
	s.kids[7], s.bsd.status = []int{8}, statusZombie
	if got, known := children(s, 7); !known || len(got) != 0 {
		t.Errorf("of zombies: %v, %v", got, known)
	}
	s.listErr = notSup
	if got, known := children(s, 7); known || got != nil {
		t.Errorf("not told: %v, %v", got, known)
	}
}

func TestDetails(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	s.args = []byte("\x02\x00\x00\x00/bin/x\x00\x00x\x00-a\x00HOME=/\x00")
	s.bsd.start = time.Unix(1e9, 0)
	got := details(s, 42)
	if got.User != 501 || got.CPU != 3*time.Second || !got.Start.Equal(s.bsd.start) || strings.Join(got.Command.Args, " ") != "x -a" {
		t.Errorf("%+v", got)
	}
	s.gone = true
	if got = details(s, 42); got.User != -1 || !got.Start.IsZero() {
		t.Errorf("one that has ended: %+v", got)
	}
}
