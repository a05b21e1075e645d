//go:build linux && amd64 && screens

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task/needs"
)

// forkedChild is the child of a process that forks while a thread holds a lock.
func forkedChild(t *testing.T) int {
	parent := startBroken(t, exec.Command(compileBy(t, "gcc", "forked.c")))
	return await(t, child(t, parent, "forked"), waitsIn(unix.SYS_FUTEX))
}

// bashReadsItsOwnPipe is a shell that reads a FIFO which only it has open for writing.
func bashReadsItsOwnPipe(t *testing.T) int {
	need(t, "bash")
	fifo := filepath.Join(publicDir(t), "queue") // a short path, which fits into the first row
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	return await(t, startBroken(t, exec.Command("bash", "-c", `exec 3<>"$0"; read -r job <&3`, fifo)), waitsIn(unix.SYS_READ))
}

// yesIntoSleep is a program that writes to a pipe which sleep never reads.
func yesIntoSleep(t *testing.T) int {
	shell := startBroken(t, exec.Command("sh", "-c", "yes | sleep 1000"))
	return await(t, child(t, shell, "yes"), waitsIn(unix.SYS_WRITE))
}

// onFile starts a program of testdata that is given the name of a file.
func onFile(source string, in state) func(*testing.T) int {
	return func(t *testing.T) int {
		return await(t, startBroken(t, exec.Command(compileBy(t, "gcc", source), filepath.Join(t.TempDir(), "file"))), in)
	}
}

// stoppedSleep is one to which somebody has sent SIGSTOP.
func stoppedSleep(t *testing.T) int {
	pid := startBroken(t, exec.Command("sleep", "1000"))
	await(t, pid, waitsIn(unix.SYS_CLOCK_NANOSLEEP))
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	return await(t, pid, isIn("T"))
}

// starved is a program of the lowest priority beside two of the ordinary one for each
// processor.
func starved(t *testing.T) int {
	pid := startBroken(t, exec.Command(compileBy(t, "gcc", "checksum.c")))
	if err := unix.Setpriority(unix.PRIO_PROCESS, pid, 19); err != nil {
		t.Fatal(err)
	}
	await(t, pid, func(_ *testing.T, pid int) bool { return ticks(pid) > 0 })
	keepBusy(t, 4)
	return await(t, pid, hasWaited)
}

// hasWaited: it has waited for a processor for half a second.
func hasWaited(_ *testing.T, pid int) bool {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return false
	}
	ns, _ := strconv.Atoi(fields[1])
	return ns >= 500_000_000
}

// dnsHangs is getent, which asks a name server that does not answer. Root alone may give
// it one.
func dnsHangs(t *testing.T) int {
	needs.Root(t)
	need(t, "getent")
	silent, err := net.ListenPacket("udp", "127.0.0.7:53")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	config := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(config, []byte("nameserver 127.0.0.7\noptions timeout:30\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `mount --bind "$0" /etc/resolv.conf && exec getent -s hosts:dns hosts db.example`, config)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	return await(t, startBroken(t, cmd), waitsIn(unix.SYS_POLL))
}

// redisScript is a server that runs a script without an end, and is deaf to SIGINT in it.
func redisScript(t *testing.T) int {
	s := startRedis(t)
	t.Cleanup(func() { _ = syscall.Kill(s.root, syscall.SIGKILL) })
	s.awaitUp(t)
	s.ask(t, "EVAL \"while true do end\" 0\r\n")
	return await(t, s.root, burns)
}

// ask sends a request to a server, and leaves the connection open.
func (s *server) ask(t *testing.T, request string) {
	t.Helper()
	c, err := net.Dial(s.network, s.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
}

// nginxUpstream is the worker of a server whose upstream accepts and never answers.
func nginxUpstream(t *testing.T) int {
	upstream := filepath.Join(publicDir(t), "upstream")
	l, err := net.Listen("unix", upstream)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if err := os.Chmod(upstream, 0o777); err != nil {
		t.Fatal(err)
	}
	s := nginx(t, 1, "proxy_pass http://unix:"+upstream+":/;")
	s.awaitUp(t)
	s.ask(t, "GET / HTTP/1.0\r\n\r\n")
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return await(t, child(t, s.root, "nginx"), waitsIn(unix.SYS_EPOLL_WAIT))
}

// nginxTCPUpstream is the same with an upstream by TCP, which reads the request. It was sent more
// than a second ago.
func nginxTCPUpstream(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := nginx(t, 1, "proxy_pass http://"+l.Addr().String()+"/;")
	s.awaitUp(t)
	s.ask(t, "GET / HTTP/1.0\r\n\r\n")
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	return await(t, child(t, s.root, "nginx"), func(t *testing.T, pid int) (isOld bool) {
		err := raw.Control(func(fd uintptr) {
			info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
			isOld = err == nil && info.Last_data_recv >= 1200
		})
		return err == nil && isOld && waitsIn(unix.SYS_EPOLL_WAIT)(t, pid)
	})
}

// postgresRowLock is the backend of a session that updates a row which another one has
// updated, and not committed.
func postgresRowLock(t *testing.T) int {
	need(t, "psql")
	s := startPostgres(t)
	s.awaitUp(t)
	s.session(t, "CREATE TABLE stock (item text, n int); INSERT INTO stock VALUES ('bolt', 1);\nSELECT 1;\n")
	s.session(t, "BEGIN; UPDATE stock SET n = 2;\nSELECT 1;\n")
	pid := s.session(t, "SELECT pg_backend_pid();\nUPDATE stock SET n = 3;\n")
	return await(t, pid, waitsIn(unix.SYS_EPOLL_WAIT))
}

// session starts a session that stays, gives it statements, and returns the number that
// the first one to answer with a row has selected.
func (s *server) session(t *testing.T, statements string) (number int) {
	t.Helper()
	cmd := exec.Command("psql", "-h", filepath.Dir(s.address), "-U", "postgres", "-qAt", "-f", "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startBroken(t, cmd)
	if _, err := io.WriteString(in, statements); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if number, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		t.Fatal(err)
	}
	return number
}
