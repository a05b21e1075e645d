package words

import (
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestLabelsAreQuotedOnce: the label of a queue is in quotation marks already, and is left
// as it is where a shell finds nothing in it.
func TestLabelsAreQuotedOnce(t *testing.T) {
	for given, want := range map[string]string{
		`"com.example.x"`: `"com.example.x"`,
		`"com.example.x" (the target of "it's") (suspended)`: `"com.example.x" (the target of "it's") (suspended)`,
		`"a;b"`:           `"a;b"`,
		`"x" ; evil ; ""`: `"\"x\" ; evil ; \"\""`,
		`"a\b" ; "c"`:     `"\"a\\b\" ; \"c\""`,
		"\"`evil`\"":      "\"\\\"\\`evil\\`\\\"\"",
		`"$(evil)"`:       `"\"\$(evil)\""`,
	} {
		if got := waitedFor(given); got != want {
			t.Errorf("%s becomes %s, want %s", given, got, want)
		}
	}
}

// TestConvoyBehindNobody: the threads of a convoy have no single id, and an unknown owner is
// none of them.
func TestConvoyBehindNobody(t *testing.T) {
	p := &Printer{Profile: &profile.Profile{}}
	if got := p.WaitFor(0, &profile.Wait{Lock: profile.Mutex, Addr: 0x5000}); got != "for mutex 0x5000" {
		t.Error(got)
	}
}

// TestPeers are named, and the process itself as that.
func TestPeers(t *testing.T) {
	peer := func(call string, p profile.Peer) profile.Wait {
		return profile.Wait{Call: call, Object: "fd 3 pipe:[9]", Peer: p}
	}
	for want, w := range map[string]profile.Wait{
		"for cc1 [12] to write, in read: fd 3 pipe:[9]":                                                                peer("read", profile.Peer{PID: 12, Name: "cc1", Action: profile.Write}),
		"in read: fd 3 pipe:[9], with cc1 [12] at the other end":                                                       peer("read", profile.Peer{PID: 12, Name: "cc1", Action: profile.Write, Others: true}),
		"in read: fd 3 pipe:[9], which only the process itself has open for writing":                                   peer("read", profile.Peer{PID: 7, Action: profile.Write, Self: true}),
		"in write: fd 3 pipe:[9], which only the process itself has open for reading":                                  peer("write", profile.Peer{PID: 7, Action: profile.Read, Self: true}),
		"in read: fd 3 pipe:[9], with the process itself and sleep [7] at the other end":                               peer("read", profile.Peer{PID: 7, Name: "sleep", Action: profile.Write, AlsoSelf: true}),
		"in read: fd 3 pipe:[9], which only the process itself has open for writing (not all others could be checked)": peer("read", profile.Peer{PID: 7, Action: profile.Write, Self: true, Others: true}),
	} {
		p := &Printer{Profile: &profile.Profile{}}
		if got := p.WaitFor(7, &w); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestVariables are named in place of addresses.
func TestVariables(t *testing.T) {
	for want, w := range map[string]profile.Wait{
		"for mutex checking":                                              {Lock: profile.Mutex, Addr: 0x5000, Variable: "checking"},
		"for mutex bank+8, held by itself":                                {Lock: profile.Mutex, Addr: 0x5000, Variable: "bank+8", Owner: 7},
		"for mutex log, held by thread 99 (ended, or of another process)": {Lock: profile.Mutex, Addr: 0x5000, Variable: "log", GoneOwner: 99},
		"for mutex 0x5000, held by thread 99, which has ended":            {Lock: profile.Mutex, Addr: 0x5000, GoneOwner: 99, Gone: task.Outsider{Ended: true}},
		"for mutex 0x5000, held since the fork by thread 99 of the parent process, \"shop\" [90], which cannot unlock it here": {
			Lock: profile.Mutex, Addr: 0x5000, GoneOwner: 99, Gone: task.Outsider{Parent: 90, ParentName: "shop"}},
		"for mutex 0x5000, held since the fork by the main thread of the parent process, \"shop\" [90], which cannot unlock it here": {
			Lock: profile.Mutex, Addr: 0x5000, GoneOwner: 90, Gone: task.Outsider{Parent: 90, ParentName: "shop"}},
		"for mutex 0x5000, held since the fork by thread 99 of the parent process, \"???\" [90], which cannot unlock it here": {
			Lock: profile.Mutex, Addr: 0x5000, GoneOwner: 99, Gone: task.Outsider{Parent: 90}},
		"for mutex 0x5000":                           {Lock: profile.Mutex, Addr: 0x5000},
		`for mutex new\nline`:                        {Lock: profile.Mutex, Addr: 0x5000, Variable: "new\nline"},
		"in futex: condition variable job_ready":     {Call: "futex", Object: "condition variable (futex 0x5008)", Variable: "job_ready"},
		"in psynch_cvwait: condition variable ready": {Call: "psynch_cvwait", Object: "condition variable 0x5000", Variable: "ready"},
		"in ulock_wait: condition variable ready":    {Call: "ulock_wait", Object: "condition variable (word 0x5018)", Variable: "ready"},
		"in futex: semaphore slots":                  {Call: "futex", Object: "semaphore 0x5000", Variable: "slots"},
		"in futex: futex ledger::LEDGER":             {Call: "futex", Object: "futex 0x5000", Variable: "ledger::LEDGER"},
		"in futex: for ever, as it is":               {Call: "futex", Object: "for ever, as it is", Variable: "slots"},
	} {
		p := &Printer{Profile: &profile.Profile{}}
		if got := p.WaitFor(7, &w); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestStalled says what is known of connections, and not what is owed.
func TestStalled(t *testing.T) {
	const up = "127.0.0.1:80"
	for want, s := range map[string]*task.Stalled{
		"": nil,
		"127.0.0.1:80 has not answered the request to connect":                                                             {State: task.Connecting, Count: 1, Remote: up},
		"127.0.0.1:80 (python3 [7]) has not accepted 2 connections":                                                        {State: task.NotAccepted, Count: 2, Remote: up, PID: 7, Name: "python3", Since: time.Second},
		"/run/up has not read 1 byte sent to it":                                                                           {State: task.NotTaken, Count: 1, Remote: "/run/up", Unread: 1},
		"127.0.0.1:80 has not read 98 bytes sent to it on 2 connections, 119 s ago":                                        {State: task.NotTaken, Count: 2, Remote: up, Unread: 98, Since: 119 * time.Second},
		"nothing received from 127.0.0.1:80 since the last send to it, 2 min ago, and nothing moves on 3 more connections": {State: task.Silent, Count: 1, Remote: up, Since: 2 * time.Minute, Others: 3},
		"not read: 98 bytes received from 127.0.0.1:80, 25 h ago":                                                          {State: task.Unread, Count: 1, Remote: up, Unread: 98, Since: 25 * time.Hour},
	} {
		if got := stalled(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestStalledIsALineOfItsOwn below the wait.
func TestStalledIsALineOfItsOwn(t *testing.T) {
	th := waiter(1, task.Sleeping, &profile.Wait{Call: "epoll_wait", Stalled: &task.Stalled{State: task.Connecting, Count: 1, Remote: "10.0.0.1:80"}})
	got := strings.Join((&Printer{Profile: oneOf(th)}).Waits(th), "|")
	if want := "waits in epoll_wait|10.0.0.1:80 has not answered the request to connect"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
