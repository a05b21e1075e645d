//go:build hostile && linux

package hostile

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// stranger is the user who swaps.
const stranger = 65534

// What he swaps with a link.
const (
	aFile   = "file"
	aPipe   = "pipe"
	aFolder = "folder"
)

const secret = "what only root may write\n"

// ground is a folder of a stranger, who swaps something in it with a link all the time.
type ground struct {
	dir    string // his
	folder string // that only root may enter, where a link leads
	file   string // in it
	before os.FileInfo
	stop   io.Closer
	count  *bufio.Reader
}

// inMemory is where swapping is fastest.
const inMemory = "/dev/shm"

// newGround has the stranger swap until the test ends.
func newGround(t *testing.T, name, bait string) *ground {
	t.Helper()
	root, err := os.MkdirTemp(inMemory, "hostile")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	if err := os.Chmod(root, 0o755); err != nil { // for him to come there
		t.Fatal(err)
	}
	g := &ground{dir: filepath.Join(root, "his"), folder: filepath.Join(root, "roots")}
	g.file = filepath.Join(g.folder, "it")
	for _, dir := range []string{g.dir, g.folder} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(g.file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(g.dir, stranger, stranger); err != nil {
		t.Fatal(err)
	}
	g.before = g.state(t)
	g.swap(t, name, bait)
	return g
}

func (g *ground) state(t *testing.T) os.FileInfo {
	t.Helper()
	info, err := os.Lstat(g.file)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// swap starts this program again, as the stranger.
func (g *ground) swap(t *testing.T, name, bait string) {
	t.Helper()
	to := g.file
	if bait == aFolder {
		to = g.folder
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), strangerName+"="+name, strangerBait+"="+bait, strangerLink+"="+to)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
	stop, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	g.stop, g.count = stop, bufio.NewReader(out)
	if line, err := g.count.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the stranger says %q, %v", line, err)
	}
}

// within has a try end in time.
func (g *ground) within(t *testing.T, try func(dir string) error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- try(g.dir) }()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		t.Fatalf("it is not over after %v", limit)
		return nil
	}
}

// check requires that what is root's is what it was.
func (g *ground) check(t *testing.T, try int) {
	t.Helper()
	content, err := os.ReadFile(g.file)
	now := g.state(t)
	if err != nil || string(content) != secret || !os.SameFile(now, g.before) || now.Mode() != g.before.Mode() || now.ModTime() != g.before.ModTime() {
		t.Fatalf("try %d: the file of root has %q, %v", try, content, err)
	}
	owner := now.Sys().(*syscall.Stat_t)
	if owner.Uid != 0 || owner.Gid != 0 {
		t.Fatalf("try %d: the file of root belongs to %d", try, owner.Uid)
	}
	entries, err := os.ReadDir(g.folder)
	if err != nil || len(entries) != 1 {
		t.Fatalf("try %d: the folder of root has %v, %v", try, entries, err)
	}
}

// swaps ends the stranger, and returns how often he swapped.
func (g *ground) swaps(t *testing.T) int {
	t.Helper()
	_ = g.stop.Close()
	line, err := g.count.ReadString('\n')
	n, _ := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || n < tries {
		t.Fatalf("the stranger swapped %q times, %v", line, err)
	}
	return n
}

// What the stranger is told.
const (
	strangerName = "HOSTILE_NAME"
	strangerBait = "HOSTILE_BAIT"
	strangerLink = "HOSTILE_LINK"
)

// isStranger reports whether this is the program that swaps.
func isStranger() bool { return os.Getenv(strangerName) != "" }

// beStranger swaps until standard input ends.
func beStranger() int {
	s := &swapper{name: os.Getenv(strangerName), bait: os.Getenv(strangerBait), link: os.Getenv(strangerLink)}
	over := make(chan bool)
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); close(over) }()
	if err := s.lay(); err != nil {
		fmt.Fprintln(os.Stderr, "the stranger:", err)
		return 1
	}
	fmt.Println("ready")
	for n := 0; ; n += atOnce {
		select {
		case <-over:
			fmt.Println(n)
			return 0
		default:
		}
		if err := s.swap(); err != nil {
			fmt.Fprintln(os.Stderr, "the stranger:", err)
			return 1
		}
	}
}

// swapper swaps what has a name in its folder with a link.
type swapper struct {
	name, bait, link string
	reader           *os.File // of the pipe
}

// other is the name of what is not there just now.
const other = "other"

// atOnce is how often he swaps before he sees to it that there is something to swap.
const atOnce = 16

func (s *swapper) swap() error {
	for range atOnce {
		err := unix.Renameat2(unix.AT_FDCWD, s.name, unix.AT_FDCWD, other, unix.RENAME_EXCHANGE)
		if err != nil {
			break
		}
	}
	if !s.isLaid() {
		return s.lay()
	}
	return nil
}

// isLaid reports whether the link is there still: root takes away what he replaces.
func (s *swapper) isLaid() bool {
	var buf [1]byte
	for _, name := range []string{s.name, other} {
		if n, err := unix.Readlink(name, buf[:]); n > 0 && err == nil {
			return true
		}
	}
	return false
}

// lay puts the bait and the link there.
func (s *swapper) lay() error {
	for _, name := range []string{s.name, other} {
		_ = os.RemoveAll(name)
	}
	if err := os.Symlink(s.link, other); err != nil {
		return err
	}
	err := s.layBait()
	if os.IsExist(err) { // root was faster
		return nil
	}
	return err
}

func (s *swapper) layBait() error {
	switch s.bait {
	case aFolder:
		return os.Mkdir(s.name, 0o755)
	case aPipe:
		if err := unix.Mkfifo(s.name, 0o600); err != nil {
			return &os.PathError{Op: "mkfifo", Path: s.name, Err: err}
		}
		return s.read()
	}
	f, err := os.OpenFile(s.name, os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_ = f.Close()
	}
	return err
}

// read reads from a pipe, so that nobody has to wait for a reader.
func (s *swapper) read() error {
	f, err := os.OpenFile(s.name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if s.reader != nil {
		_ = s.reader.Close()
	}
	s.reader = f
	go func() { _, _ = io.Copy(io.Discard, f) }()
	return nil
}
