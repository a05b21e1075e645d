package mach

import (
	"errors"
	"strings"
	"testing"

	"stacksnap/task"
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
	if got := strings.Join(calls, " "); got != "task_read_for_pid task_info" {
		t.Errorf("asked %s", got)
	}
	calls, s.noReadPort = nil, Errno(78)
	mustClose(t, mustOpen(t, s))
	if got := strings.Join(calls, " "); got != "task_read_for_pid task_for_pid task_info" {
		t.Errorf("asked %s", got)
	}
	s.balance(t)
}

func TestARefusalNamesTheRemedy(t *testing.T) {
	tests := []struct {
		name   string
		script func(*scripted)
		want   []string
	}{
		{"own process", func(*scripted) {}, []string{"sudo", "scripts/sign.sh", "com.apple.security.cs.debugger", "get-task-allow"}},
		{"another's", func(s *scripted) { s.bsd.uid = 0 }, []string{"another user", "sudo"}},
		{"another's, which we may not look at", func(s *scripted) { s.bsdErr = notPermitted }, []string{"another user", "sudo"}},
		{"root", func(s *scripted) { s.euid = 0 }, []string{"System Integrity Protection", "get-task-allow"}},
		{"no developer", func(s *scripted) { s.numbers["security.mac.amfi.developer_mode_status"] = 0 }, []string{"Developer Mode is off", "DevToolsSecurity"}},
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
		t.Skip("this system has Mach tasks")
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
	s.all = []int{0, 42, 1}
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
