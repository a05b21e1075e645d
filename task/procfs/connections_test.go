//go:build linux

package procfs

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task/needs"
	"stacksnap/task/procfs/sockdiag"
)

// connect returns both ends of a connection to a listening socket, which accepts it if it is to.
func connect(t *testing.T, l net.Listener, accepts bool) (client, server net.Conn) {
	t.Helper()
	client, err := net.Dial(l.Addr().Network(), l.Addr().String())
	must(t, err)
	t.Cleanup(func() { _ = client.Close() })
	if accepts {
		server, err = l.Accept()
		must(t, err)
		t.Cleanup(func() { _ = server.Close() })
	}
	return client, server
}

func listen(t *testing.T, network, address string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address)
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func say(t *testing.T, c net.Conn, text string) {
	t.Helper()
	_, err := io.WriteString(c, text)
	must(t, err)
}

// statesTo returns the states of the connections to an address, sorted.
func statesTo(p *Process, address string) (states []string) {
	for _, c := range p.Connections(time.Now().Add(10 * time.Second)) {
		if c.Remote == address {
			states = append(states, c.State.String())
		}
	}
	slices.Sort(states)
	return states
}

// needSocketTables skips a test where the kernel lists no TCP or no Unix sockets.
func needSocketTables(t *testing.T) {
	t.Helper()
	c, err := sockdiag.Open()
	must(t, err)
	defer c.Close()
	until := time.Now().Add(10 * time.Second)
	_, err = c.TCP(until)
	needs.Feature(t, "sock_diag", err, sockdiag.ErrKind)
	_, err = c.Unix(until)
	needs.Feature(t, "sock_diag", err, sockdiag.ErrKind)
}

// TestConnections of this process with itself: each that owes something is found, and none that
// was answered.
func TestConnections(t *testing.T) {
	needSocketTables(t)
	p := self(t)
	for _, l := range []net.Listener{listen(t, "tcp", "127.0.0.1:0"), listen(t, "tcp", "[::1]:0"), listen(t, "unix", filepath.Join(t.TempDir(), "up"))} {
		client, server := connect(t, l, true)
		say(t, client, "ask")
		_, err := io.ReadFull(server, make([]byte, 3))
		must(t, err)
		say(t, server, "answer")
		_, err = io.ReadFull(client, make([]byte, 6))
		must(t, err)

		client, _ = connect(t, l, true)
		say(t, client, "not read")
		client, server = connect(t, l, true)
		say(t, client, "ask")
		_, err = io.ReadFull(server, make([]byte, 3))
		must(t, err)
		client, _ = connect(t, l, false)
		say(t, client, "not accepted")
		want := "not accepted,not taken,silent"
		if l.Addr().Network() == "unix" {
			want = "not accepted,not taken" // the kernel keeps no times of them
		}
		eventually(t, want+" at "+l.Addr().String(), func() bool { return strings.Join(statesTo(p, l.Addr().String()), ",") == want })
	}
}

// TestConnectionsTooLate: what cannot be read in time is not told in part.
func TestConnectionsTooLate(t *testing.T) {
	l := listen(t, "unix", filepath.Join(t.TempDir(), "up"))
	client, _ := connect(t, l, true)
	say(t, client, "not read")
	if all := self(t).Connections(time.Now()); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// TestNamespaceIsLeft: a thread that has entered another network namespace is back in ours.
func TestNamespaceIsLeft(t *testing.T) {
	needs.Root(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := os.Readlink("/proc/thread-self/ns/net")
	must(t, err)
	theirs := otherNamespace(t)
	c, returned, err := openAndReturn(theirs)
	must(t, err)
	defer c.Close()
	after, err := os.Readlink("/proc/thread-self/ns/net")
	must(t, err)
	if !returned || before != after {
		t.Errorf("was in %s, and is in %s, returned %t", before, after, returned)
	}
	all, err := c.TCP(time.Now().Add(10 * time.Second))
	needs.Feature(t, "sock_diag", err, sockdiag.ErrKind)
	if err != nil || len(all) != 0 {
		t.Errorf("in a new namespace there are %d sockets, %v", len(all), err)
	}
}

// otherNamespace makes a network namespace. The thread that does so leaves it again: were it the main
// thread, which doesn't end with its goroutine, /proc/self/net would be that of the new namespace.
func otherNamespace(t *testing.T) (fd int) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		open := func() (int, error) {
			return unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		}
		ours, err := open()
		if err == nil {
			defer closeFD(ours)
			err = unix.Unshare(unix.CLONE_NEWNET)
		}
		if err == nil {
			fd, err = open()
			err = errors.Join(err, unix.Setns(ours, unix.CLONE_NEWNET))
		}
		if err == nil {
			runtime.UnlockOSThread()
		}
		done <- err
	}()
	must(t, <-done)
	t.Cleanup(func() { closeFD(fd) })
	return fd
}

// TestUnixSocketIsNamedByItsPeer: one without a name, by what it is connected to.
func TestUnixSocketIsNamedByItsPeer(t *testing.T) {
	l := listen(t, "unix", filepath.Join(t.TempDir(), "up"))
	client, _ := connect(t, l, true)
	raw, err := client.(*net.UnixConn).SyscallConn()
	must(t, err)
	must(t, raw.Control(func(fd uintptr) {
		if got, want := self(t).OpenFile(int(fd)), "unix socket to "+l.Addr().String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}))
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	defer closeFD(pair[0])
	defer closeFD(pair[1])
	link, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(pair[0]))
	must(t, err)
	if got := self(t).OpenFile(pair[0]); got != "unix "+link {
		t.Errorf("%q of %s, whose peer has no name either", got, link)
	}
}

// TestWokenOtherwise: this process handles signals, and one that handles none has nothing else that
// could wake its threads.
func TestWokenOtherwise(t *testing.T) {
	if p := self(t); !p.WokenOtherwise() || p.hasRing() {
		t.Error("of this process")
	}
	path := "/proc/" + strconv.Itoa(startTarget(t).pid)
	if p := (&Process{live: Dir{fd: openPath(t, path)}}); p.WokenOtherwise() {
		t.Error("of one without handlers")
	}
}
