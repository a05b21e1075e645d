//go:build linux && amd64 && (servers || screens)

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/live"
	"stacksnap/task/needs"
)

// The tests of servers are built with the tag servers. They need those servers, as
// Debian packages them, start each for itself and skip what is not installed.

// server is one that runs, has nothing to do, and answers at address.
type server struct {
	root    int
	network string // of address: unix or tcp
	address string
	helpers int         // further processes that it has when it is up
	up      func() bool // whether it says that it is; may be nil
}

// servers are started by their names.
var servers = map[string]func(*testing.T) *server{
	"nginx": startNginx, "postgres": startPostgres, "redis": startRedis, "node": startNode, "java": startJava,
}

// eachServer runs a test on every server that is installed.
func eachServer(t *testing.T, test func(*testing.T, *server)) {
	for _, name := range []string{"nginx", "postgres", "redis", "node", "java"} {
		t.Run(name, func(t *testing.T) {
			s := servers[name](t)
			s.awaitUp(t)
			test(t, s)
		})
	}
}

// serve starts a server's command until the test ends. What it says is logged if the
// test fails.
func serve(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end(cmd)
		if t.Failed() {
			t.Logf("%s said:\n%s", cmd.Path, said.Bytes())
		}
	})
	return cmd.Process.Pid
}

// end asks a server to end, and kills it where it does not.
func end(cmd *exec.Cmd) {
	_ = cmd.Process.Signal(syscall.SIGINT) // of postgres, a fast shutdown
	kill := time.AfterFunc(patience, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer kill.Stop()
	_ = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}

// awaitUp waits until the server answers, and has its helpers.
func (s *server) awaitUp(t *testing.T) {
	t.Helper()
	eventually(t, "the server answers", func() bool {
		c, err := net.Dial(s.network, s.address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	if s.up != nil {
		eventually(t, "the server says that it is up", s.up)
	}
	eventually(t, "the server has its helpers", func() bool { return len(s.processes(t)) > s.helpers })
}

// processes are those of the server, its first one first.
func (s *server) processes(t *testing.T) []int {
	t.Helper()
	var kin live.Kin
	below, err := kin.Descendants(s.root)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(below)
	return append([]int{s.root}, below...)
}

func startNginx(t *testing.T) *server { return nginx(t, 2, "return 200;") }

// nginx starts a server that does in its only location what is given.
func nginx(t *testing.T, workers int, location string) *server {
	program := find(t, "nginx", "/usr/sbin/nginx")
	dir := publicDir(t)
	config := fmt.Sprintf(`daemon off; pid %[1]s/pid; error_log stderr; worker_processes %[2]d;
events { worker_connections 64; }
http {
  access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
  fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
  server { listen unix:%[1]s/socket; location / { %[3]s } }
}`, dir, workers, location)
	write(t, filepath.Join(dir, "conf"), config)
	id := serve(t, exec.Command(program, "-c", filepath.Join(dir, "conf"), "-p", dir, "-e", "stderr"))
	return &server{root: id, network: "unix", address: filepath.Join(dir, "socket"), helpers: workers}
}

// startPostgres starts it as another user where this one is root, as whom it does
// not run.
func startPostgres(t *testing.T) *server {
	programs, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	program := find(t, "postgres", programs...)
	dir := publicDir(t)
	var user *syscall.SysProcAttr
	if os.Getuid() == 0 {
		user = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	program, err := filepath.EvalSymlinks(program)
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(filepath.Dir(program), "initdb"), "-D", data, "-A", "trust", "-U", "postgres", "-N")
	initdb.Dir, initdb.SysProcAttr = dir, user
	if b, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	cmd := exec.Command(program, "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "autovacuum=off")
	cmd.Dir = dir
	if user != nil {
		attributes := *user
		cmd.SysProcAttr = &attributes
	}
	s := &server{root: serve(t, cmd), network: "unix", address: filepath.Join(dir, ".s.PGSQL.5432")}
	s.helpers = 4 // checkpointer, background writer, WAL writer, launcher of logical replication
	s.up = func() bool {
		b, _ := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		return bytes.Contains(b, []byte("\nready"))
	}
	return s
}

func startRedis(t *testing.T) *server {
	program := find(t, "redis-server")
	dir := publicDir(t)
	socket := filepath.Join(dir, "socket")
	id := serve(t, exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--hz", "1", "--dir", dir))
	return &server{root: id, network: "unix", address: socket}
}

func startNode(t *testing.T) *server {
	program := find(t, "node", "/usr/bin/nodejs")
	socket := filepath.Join(publicDir(t), "socket")
	id := serve(t, exec.Command(program, "-e", `require("net").createServer(c => c.end()).listen(process.argv[1])`, socket))
	return &server{root: id, network: "unix", address: socket}
}

// javaServer answers at a port that it writes to a file.
const javaServer = `import java.net.*; import java.nio.file.*;
public class Server {
  public static void main(String[] a) throws Exception {
    ServerSocket s = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    Files.writeString(Path.of(a[0] + ".new"), "" + s.getLocalPort());
    Files.move(Path.of(a[0] + ".new"), Path.of(a[0]));
    for (;;) s.accept().close();
  }
}`

func startJava(t *testing.T) *server {
	dir := compileJava(t, "Server", javaServer)
	file := filepath.Join(dir, "port")
	id := serve(t, exec.Command("java", "-cp", dir, "Server", file))
	var port []byte
	eventually(t, "the port is told", func() bool {
		var err error
		port, err = os.ReadFile(file)
		return err == nil
	})
	return &server{root: id, network: "tcp", address: net.JoinHostPort("127.0.0.1", string(port))}
}

// compileJava compiles a class into a folder of its own.
func compileJava(t *testing.T, class, source string) (dir string) {
	t.Helper()
	need(t, "java", "javac")
	dir = publicDir(t)
	file := filepath.Join(dir, class+".java")
	write(t, file, source)
	if b, err := exec.Command("javac", "-d", dir, file).CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, b)
	}
	return dir
}

// find looks for a program by its name, and where it is when the path does not
// lead to it.
func find(t *testing.T, name string, places ...string) string {
	t.Helper()
	for _, place := range append([]string{name}, places...) {
		if path, err := exec.LookPath(place); err == nil {
			return path
		}
	}
	needs.Skip(t, name, "not installed")
	return ""
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// stand is a thread as the kernel tells of it.
type stand struct {
	call string // its syscall file
	runs uint64 // how often it came to a processor
}

// standing reads that of every thread of a process.
func standing(t *testing.T, pid int) map[int]stand {
	t.Helper()
	all := map[int]stand{}
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range tasks {
		dir := filepath.Join("/proc", strconv.Itoa(pid), "task", e.Name())
		call, err := os.ReadFile(filepath.Join(dir, "syscall"))
		times, err2 := os.ReadFile(filepath.Join(dir, "schedstat"))
		if err := errors.Join(err, err2); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it has just ended
		} else if err != nil {
			needs.Feature(t, "/proc/PID/syscall", err, fs.ErrPermission)
		}
		s := stand{call: string(bytes.TrimSpace(call)), runs: timesOnCPU(t, times)}
		if s.runs == 0 {
			continue // it has just been made, and has not run yet
		}
		id, _ := strconv.Atoi(e.Name())
		all[id] = s
	}
	return all
}

// timesOnCPU reads how often a thread came to a processor. It skips the test where that is not counted, as
// for this thread, which has run.
func timesOnCPU(t *testing.T, schedstat []byte) (runs uint64) {
	t.Helper()
	_, err := fmt.Sscan(string(schedstat), new(uint64), new(uint64), &runs)
	if err == nil && runs > 0 {
		return runs
	}
	if own, err := os.ReadFile("/proc/thread-self/schedstat"); err != nil || strings.HasSuffix(string(own), " 0\n") {
		needs.Skip(t, "/proc/PID/schedstat", fmt.Sprintf("%q, %v", own, err))
	}
	return 0
}

// blockedCall is a call that a thread is blocked in.
type blockedCall struct {
	number int
	words  []string // arguments, sp and pc, in hexadecimal
}

// callOf returns the call that a thread is blocked in; false if it is in none.
func callOf(s stand) (c blockedCall, blocked bool) {
	words := strings.Fields(s.call)
	if len(words) != 9 { // -1 in user code, or the word running
		return c, false
	}
	number, err := strconv.Atoi(words[0])
	return blockedCall{number, words[1:]}, err == nil
}
