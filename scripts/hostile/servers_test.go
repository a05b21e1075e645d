//go:build hostile && linux

package hostile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// What asking a server may take. One that pushes gives up an attempt after 30 seconds and
// the server 10 seconds after it was last ready, whichever is later; one that asks for
// debug files after 15 in which too little came.
const (
	pushLimit  = 45 * time.Second
	askLimit   = 30 * time.Second
	maxOnDisk  = 8 << 20
	endLimit   = 2 * time.Second // after a SIGTERM
	password   = "very-secret"
	pushHeader = "authorization=Bearer%20" + password
)

// servers are what answers a request, and how: until what they write to is closed.
var servers = map[string]func(c io.Writer){
	"headers without end":       func(c io.Writer) { again(c, "HTTP/1.1 200 OK\r\n", "X-More: "+strings.Repeat("x", 1000)+"\r\n") },
	"one header without end":    func(c io.Writer) { again(c, "HTTP/1.1 200 OK\r\nX-More: ", strings.Repeat("x", 1<<16)) },
	"announcements without end": func(c io.Writer) { again(c, "", "HTTP/1.1 100 Continue\r\n\r\n") },
	"a body without end":        func(c io.Writer) { again(c, "HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("x", 1<<16)) },
	"an ELF file without end":   func(c io.Writer) { again(c, "HTTP/1.1 200 OK\r\n\r\n"+elfHeader, strings.Repeat("x", 1<<16)) },
	"a refusal without end":     func(c io.Writer) { again(c, "HTTP/1.1 503 No\r\n\r\n", strings.Repeat("x", 1<<16)) },
	"chunks without end":        func(c io.Writer) { again(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n") },
	"a chunk of 2^63 bytes": func(c io.Writer) {
		again(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n", "xxxx")
	},
	"a bomb":                func(c io.Writer) { say(c, bombAnswer()) },
	"drops of a header":     func(c io.Writer) { drip(c, "HTTP/1.1 200 OK\r\nX-More: ") },
	"drops of a body":       func(c io.Writer) { drip(c, "HTTP/1.1 200 OK\r\n\r\n") },
	"drops of an ELF file":  func(c io.Writer) { drip(c, "HTTP/1.1 200 OK\r\n\r\n"+elfHeader) },
	"silence":               func(c io.Writer) { drip(c, "") },
	"to itself":             func(c io.Writer) { say(c, "HTTP/1.1 307 Go\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n") },
	"to ever longer places": longer(),
	"to a file": func(c io.Writer) {
		say(c, "HTTP/1.1 302 Go\r\nLocation: file:///etc/shadow\r\nContent-Length: 0\r\n\r\n")
	},
	"nothing":                 func(io.Writer) {},
	"no HTTP":                 func(c io.Writer) { again(c, "", strings.Repeat("\x00\xff", 1<<15)) },
	"orders for the terminal": func(c io.Writer) { refuse(c, "{\"message\":\"\\u001b]0;x\\u0007\\u001b[2J\"}") },
	"orders in a message":     func(c io.Writer) { refuse(c, "\x12\x0a\x1b]0;x\x07\x1b[2J") }, // google.rpc.Status
	"to wait for a year":      func(c io.Writer) { say(c, "HTTP/1.1 503 No\r\nRetry-After: 31536000\r\nContent-Length: 0\r\n\r\n") },
}

// elfHeader is one of a file whose table of sections is at 1 MB.
var elfHeader = "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 33) + "\x00\x00\x10\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 16)

func say(c io.Writer, text string) { _, _ = io.WriteString(c, text) }

func refuse(c io.Writer, why string) {
	say(c, fmt.Sprintf("HTTP/1.1 400 No\r\nContent-Length: %d\r\n\r\n%s", len(why), why))
}

// again says the one, and then the other for ever.
func again(c io.Writer, once, forEver string) {
	many := []byte(strings.Repeat(forEver, max(1, 1<<16/len(forEver))))
	_, err := io.WriteString(c, once)
	for err == nil {
		_, err = c.Write(many)
	}
}

// drip says something, and then a byte a second.
func drip(c io.Writer, once string) {
	_, err := io.WriteString(c, once)
	for once == "" && err == nil {
		time.Sleep(time.Second) // it says nothing
		_, err = c.Write(nil)
	}
	for err == nil {
		time.Sleep(time.Second)
		_, err = io.WriteString(c, "x")
	}
}

// bombAnswer has 1 GB of zeros, by gzip.
var bombAnswer = sync.OnceValue(func() string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	for range 1 << 10 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	_ = z.Close()
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", b.Len(), b.Bytes())
})

// longer leads each time to a place that was not asked for yet.
func longer() func(io.Writer) {
	var n atomic.Int64
	return func(c io.Writer) {
		place := strings.Repeat("x", int(n.Add(1))*100)
		say(c, "HTTP/1.1 307 Go\r\nLocation: /"+place+"\r\nContent-Length: 0\r\n\r\n")
	}
}

// server is one that a test has started.
type server struct {
	address string
	asked   chan bool // when it is asked first
	seen    atomic.Pointer[string]
}

// serve starts one, which has a look at the command lines of all while it is asked.
func serve(t *testing.T, answer func(io.Writer)) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	s := &server{address: l.Addr().String(), asked: make(chan bool, 1)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.answer(c, answer)
		}
	}()
	return s
}

func (s *server) answer(c net.Conn, answer func(io.Writer)) {
	defer c.Close()
	_, _ = c.Read(make([]byte, 1<<16)) // of the request, what it takes to have begun
	go func() { _, _ = io.Copy(io.Discard, c) }()
	if line := exposed(); line != "" {
		s.seen.Store(&line)
	}
	select {
	case s.asked <- true:
	default:
	}
	answer(c)
}

// exposed is a command line that has the password; empty: there is none.
func exposed() string {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range all {
		if line, _ := os.ReadFile(path); bytes.Contains(line, []byte(password)) { // it may have ended
			return string(line)
		}
	}
	return ""
}

// asker is a way to ask a server.
type asker struct {
	limit time.Duration
	with  func(address, dir, pid string) *exec.Cmd
}

// askers are all of them. What they keep is in dir.
var askers = map[string]asker{
	"--push":          {pushLimit, pushing("http://", "-p PID -o /dev/null")},
	"--push of a row": {pushLimit, pushing("http://", "-p PID --every 1ms -n 2")},
	"Pyroscope":       {pushLimit, pushing("pyroscope+http://", "-p PID -n 3 -o /dev/null")},
	"--push env": {pushLimit, func(address, dir, pid string) *exec.Cmd {
		cmd := exec.Command(stacksnap, "-p", pid, "--push", "env", "--spool", dir)
		cmd.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+address, "OTEL_EXPORTER_OTLP_HEADERS="+pushHeader)
		return cmd
	}},
	"--debuginfod": {askLimit, func(address, dir, pid string) *exec.Cmd {
		cmd := exec.Command(stacksnap, "-p", pid, "--debuginfod")
		cmd.Env = append(os.Environ(), "DEBUGINFOD_URLS=http://user:"+password+"@"+address, "DEBUGINFOD_CACHE_PATH="+dir)
		return cmd
	}},
}

func pushing(scheme, args string) func(address, dir, pid string) *exec.Cmd {
	return func(address, dir, pid string) *exec.Cmd {
		words := strings.Fields(strings.ReplaceAll(args, "PID", pid))
		cmd := exec.Command(stacksnap, append(words, "--push", scheme+address, "--spool", dir)...)
		cmd.Env = append(os.Environ(), "STACKSNAP_PUSH_HEADERS="+pushHeader)
		return cmd
	}
}

// TestServers: whatever a server answers, asking it ends in time, memory and space, and
// shows nobody the password.
func TestServers(t *testing.T) {
	needTools(t, "curl")
	for how, a := range askers {
		for name, answer := range servers {
			t.Run(how+"/"+name, func(t *testing.T) {
				t.Parallel()
				a.try(t, answer)
			})
		}
	}
}

func (a asker) try(t *testing.T, answer func(io.Writer)) {
	s, dir, pid := serve(t, answer), t.TempDir(), sleeper(t)
	r := finish(t, a.limit, a.with(s.address, dir, pid))
	r.check(t)
	if r.code == -1 {
		t.Errorf("exit code %d: %s%s", r.code, r.out, r.err)
	}
	if line := s.seen.Load(); line != nil || strings.Contains(r.out+r.err, password) {
		t.Errorf("the password is shown: %v\n%s%s", line, r.out, r.err)
	}
	if strings.Contains(r.err, "context canceled") {
		t.Errorf("it tells what only Go knows: %s", r.err)
	}
	if strings.ContainsAny(r.err, "\x1b\x07") {
		t.Errorf("it gives the terminal orders: %q", r.err)
	}
	if n := sizeOf(t, dir); n > maxOnDisk {
		t.Errorf("%d MB are left on the disk", n>>20)
	}
	if isStopped(t, pid) {
		t.Error("the target is stopped")
	}
	select {
	case <-s.asked:
	default:
		t.Error("the server was not asked")
	}
	t.Logf("%v, %d MB, exit code %d: %s", r.took.Round(time.Millisecond), r.peak>>20, r.code, r.err)
}

func sizeOf(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestServersEnd: a SIGTERM ends whoever waits for a server.
func TestServersEnd(t *testing.T) {
	needTools(t, "curl")
	for how, a := range askers {
		for _, name := range []string{"silence", "drops of a header", "drops of an ELF file", "to wait for a year"} {
			t.Run(how+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := serve(t, servers[name])
				cmd := a.with(s.address, t.TempDir(), sleeper(t))
				signalled := make(chan time.Time, 1)
				r := finish(t, a.limit, cmd, func(p *os.Process) {
					<-s.asked
					signalled <- time.Now()
					_ = p.Signal(syscall.SIGTERM)
				})
				r.check(t)
				if took := time.Since(<-signalled); took > endLimit+time.Second {
					t.Errorf("it ended %v after the signal: %s", took, r.err)
				}
			})
		}
	}
}

// TestServerOnASmallDisk: a file that claims to be large takes half of what is free.
func TestServerOnASmallDisk(t *testing.T) {
	needRoot(t)
	needTools(t, "curl")
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64m,mode=700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	large := strings.Replace(elfHeader, "\x00\x00\x10\x00\x00", "\x00\x00\x00\x00\x10", 1) // at 64 GB
	s := serve(t, func(c io.Writer) { again(c, "HTTP/1.1 200 OK\r\n\r\n"+large, strings.Repeat("x", 1<<16)) })
	r := finish(t, askLimit, askers["--debuginfod"].with(s.address, dir, sleeper(t)))
	r.check(t)
	if n := sizeOf(t, dir); r.code != 0 || n > maxOnDisk || !strings.Contains(r.out+r.err, "too large") {
		t.Errorf("exit code %d, %d bytes are left: %s", r.code, n, r.err)
	}
}
