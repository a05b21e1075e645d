//go:build linux

package sockdiag

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// The answers in testdata are of Linux 6.18: six connections to one listening socket, each in a
// state of its own, and all of one process, 1.5 s after the last of them changed.
func answersIn(t testing.TB, file string, each func(body []byte)) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := answers(b, each); err != nil {
		t.Fatal(err)
	}
}

func recordedTCP(t testing.TB) (all []TCP) {
	answersIn(t, "tcp.netlink", func(b []byte) {
		s, ok := parseTCP(b)
		if !ok {
			t.Errorf("not parsed: %x", b)
		}
		all = append(all, s)
	})
	return all
}

func recordedUnix(t testing.TB) (all []Unix) {
	answersIn(t, "unix.netlink", func(b []byte) {
		s, ok := parseUnix(b)
		if !ok {
			t.Errorf("not parsed: %x", b)
		}
		all = append(all, s)
	})
	return all
}

// TestStalledTCP: the state of each connection, where its client is the target.
func TestStalledTCP(t *testing.T) {
	const silent, answered, notTaken, unread, quiet, notAccepted, listener = 7171287, 7171291, 7171295, 7171299, 7171303, 7171307, 7171283
	all := recordedTCP(t)
	for inode, want := range map[uint32]task.Connection{
		silent: {State: task.Silent}, notTaken: {State: task.NotTaken, Unread: 8}, unread: {State: task.Unread, Unread: 8},
		notAccepted: {State: task.NotAccepted, Other: task.Endpoint{File: "socket:[7171283]"}},
		answered:    {}, quiet: {}, listener: {},
	} {
		found := Stalled(map[uint32]bool{inode: true}, all, nil)
		if want.State == task.Moving {
			if len(found) != 0 {
				t.Errorf("%d: %+v", inode, found)
			}
			continue
		}
		if len(found) != 1 {
			t.Errorf("%d: %+v, want %v", inode, found, want.State)
			continue
		}
		c := found[0]
		if c.State != want.State || c.Unread != want.Unread || c.Remote != "127.0.0.1:38897" || c.ID != uint64(inode) ||
			c.Since < time.Second || c.Since > 2*time.Second || want.Other.File != "" && c.Other != want.Other || c.Other.File == "" {
			t.Errorf("%d: %+v, want %+v", inode, c, want)
		}
	}
}

// TestAcceptedIsNotNamed: connections of a server count only if it has not read what came. Silent
// clients are normal.
func TestAcceptedIsNotNamed(t *testing.T) {
	all := recordedTCP(t)
	servers := map[uint32]bool{}
	for _, s := range all {
		if s.Local.Port() == 38897 && s.Inode != 0 {
			servers[s.Inode] = true
		}
	}
	found := Stalled(servers, all, nil)
	if len(found) != 1 || found[0].State != task.Unread || found[0].Unread != 8 {
		t.Errorf("%+v", found)
	}
}

// TestConnecting: a request to connect counts as unanswered once it has been sent again.
func TestConnecting(t *testing.T) {
	s := recordedTCP(t)[0]
	s.State, s.Inode = synSent, 7
	for retries, want := range []int{0, 1} {
		s.Retries = uint8(retries)
		found := Stalled(map[uint32]bool{7: true}, []TCP{s}, nil)
		if len(found) != want || want > 0 && (found[0].State != task.Connecting || found[0].Since != 0) {
			t.Errorf("after %d retries: %+v", retries, found)
		}
	}
}

func TestStalledUnix(t *testing.T) {
	const silent, answered, notTaken, unread, quiet, notAccepted = 7174461, 7174465, 7174469, 7174473, 7174477, 7174481
	all := recordedUnix(t)
	for inode, want := range map[uint32]task.Connection{
		notTaken:    {State: task.NotTaken, Unread: 8},
		notAccepted: {State: task.NotAccepted, Other: task.Endpoint{File: "socket:[7174459]"}},
		silent:      {}, answered: {}, unread: {}, quiet: {},
	} {
		found := Stalled(map[uint32]bool{inode: true}, nil, all)
		if want.State == task.Moving {
			if len(found) != 0 {
				t.Errorf("%d: %+v", inode, found)
			}
			continue
		}
		if len(found) != 1 || found[0].State != want.State || found[0].Unread != want.Unread || found[0].Since != 0 ||
			found[0].Remote != "/tmp/TestRecord128017455/001/up" || want.Other.File != "" && found[0].Other != want.Other || found[0].Other.File == "" {
			t.Errorf("%d: %+v, want %+v", inode, found, want)
		}
	}
}

// TestDatagrams: datagrams of others are in the same queue.
func TestDatagrams(t *testing.T) {
	for kind, want := range map[uint8]int{unix.SOCK_STREAM: 1, unix.SOCK_SEQPACKET: 1, unix.SOCK_DGRAM: 0} {
		all := []Unix{{Type: kind, State: established, Inode: 1, Peer: 2}, {Type: kind, State: established, Inode: 2, Name: "/dev/log", Unread: 9}}
		if found := Stalled(map[uint32]bool{1: true}, nil, all); len(found) != want {
			t.Errorf("of type %d: %+v", kind, found)
		}
	}
}

func TestSocketName(t *testing.T) {
	for name, want := range map[string]string{"": "", "/run/x\x00": "/run/x", "/run/x": "/run/x", "\x00up\x00a": "@up@a", "\x00": ""} {
		if got := socketName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestCutAnswers: an answer may end anywhere.
func TestCutAnswers(t *testing.T) {
	for _, file := range []string{"tcp.netlink", "unix.netlink"} {
		answersIn(t, file, func(b []byte) {
			for n := range b {
				parseTCP(b[:n])
				parseUnix(b[:n])
			}
		})
	}
}

func FuzzAnswers(f *testing.F) {
	for _, file := range []string{"tcp.netlink", "unix.netlink"} {
		b, err := os.ReadFile("testdata/" + file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		var tcp []TCP
		var local []Unix
		mine := map[uint32]bool{}
		_, _ = answers(b, func(body []byte) {
			if s, ok := parseTCP(body); ok {
				tcp = append(tcp, s)
				mine[s.Inode] = true
			}
			if s, ok := parseUnix(body); ok {
				local = append(local, s)
				mine[s.Inode] = true
			}
		})
		Stalled(mine, tcp, local)
	})
}
