//go:build hostile && linux

package hostile

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/fusetest"
	"stacksnap/task/needs"
)

// mapper is a target whose files are on a mount that goes silent.
const mapper = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile char seen;
static void ready(void) { puts("ready"); fflush(stdout); for (;;) pause(); }
static void *on_its_stack(void *p) { ready(); return p; }

/* One thread waits for an epoll instance, and another is in the midst of adding a file to
   it: the kernel holds a mutex of the instance until the mount answers. */
static int epoll;
static void *waits(void *p) { struct epoll_event e; for (;;) epoll_wait(epoll, &e, 1, -1); return p; }
static void add(int fd) {
	pthread_t t;
	struct epoll_event e = {EPOLLIN};
	epoll = epoll_create1(0);
	if (pthread_create(&t, 0, waits, 0)) return;
	puts("ready"); fflush(stdout);
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

int main(int argc, char **argv) {
	if (argc < 3) ready();
	int fd = open(argv[2], O_RDONLY);
	if (!strcmp(argv[1], "poll")) { add(fd); return 1; }
	size_t size = 1 << 20;
	int prot = strcmp(argv[1], "stack") ? PROT_READ | PROT_EXEC : PROT_READ | PROT_WRITE;
	char *p = mmap(0, size, prot, MAP_PRIVATE, fd, 0);
	if (fd < 0 || p == MAP_FAILED) return 1;
	if (strcmp(argv[1], "stack")) { seen = p[0]; ready(); }
	pthread_attr_t a;
	pthread_t t;
	pthread_attr_init(&a);
	pthread_attr_setstack(&a, p, size - (64 << 10)); /* what is above is never in memory */
	if (pthread_create(&t, &a, on_its_stack, 0)) return 1;
	for (;;) pause();
}
`

// buildMapper compiles it, and returns its path and its bytes.
func buildMapper(t *testing.T) (path string, program []byte) {
	t.Helper()
	needs.Tool(t, "gcc")
	path = filepath.Join(t.TempDir(), "mapper")
	cmd := exec.Command("gcc", "-g", "-rdynamic", "-pthread", "-x", "c", "-o", path, "-")
	cmd.Stdin = strings.NewReader(mapper)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, program
}

// startReady starts a target in a folder, and waits for its line. A shell does, for this
// program, which serves the mount, stands still in a fork until the exec is done.
func startReady(t *testing.T, m *fusetest.FS, dir string, args ...string) (pid string) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", `cd "$0" && exec "$@"`, dir}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.End(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("it says %q, %v", line, err)
	}
	return strconv.Itoa(cmd.Process.Pid)
}

// overlayOf mounts an overlay with a layer on a mount.
func overlayOf(t *testing.T, m *fusetest.FS) string {
	t.Helper()
	over := t.TempDir()
	if err := syscall.Mount("overlay", over, "overlay", syscall.MS_RDONLY, "lowerdir="+t.TempDir()+":"+m.Dir); err != nil {
		needs.Feature(t, "overlays", err, syscall.ENODEV, syscall.EPERM, syscall.EINVAL)
	}
	t.Cleanup(func() { m.End(); _ = syscall.Unmount(over, syscall.MNT_DETACH) })
	return over
}

// silentTargets are targets with something of them on a mount.
var silentTargets = map[string]func(t *testing.T, program string, m *fusetest.FS) (pid string){
	"library": func(t *testing.T, program string, m *fusetest.FS) string {
		return startReady(t, m, "/", program, "library", filepath.Join(m.Dir, "program"))
	},
	"stack": func(t *testing.T, program string, m *fusetest.FS) string {
		return startReady(t, m, "/", program, "stack", filepath.Join(m.Dir, "zeros"))
	},
	"poll": func(t *testing.T, program string, m *fusetest.FS) string {
		return startReady(t, m, "/", program, "poll", filepath.Join(m.Dir, "zeros"))
	},
	"program": func(t *testing.T, _ string, m *fusetest.FS) string {
		return startReady(t, m, m.Dir, filepath.Join(m.Dir, "program"))
	},
	"overlay": func(t *testing.T, _ string, m *fusetest.FS) string {
		return startReady(t, m, "/", filepath.Join(overlayOf(t, m), "program"))
	},
	"taken away": func(t *testing.T, program string, m *fusetest.FS) string {
		pid := startReady(t, m, "/", program, "library", filepath.Join(m.Dir, "program"))
		if err := syscall.Unmount(m.Dir, syscall.MNT_DETACH); err != nil {
			t.Fatal(err)
		}
		return pid
	},
}

// silentModes are the ways to look at it.
func silentModes(t *testing.T, pid string) map[string][]string {
	return map[string][]string{
		"one-shot":      {pid},
		"with kernel":   {pid, "--kernel"},
		"sampling":      {pid, "-d", "300ms"},
		"no stop":       {pid, "-d", "300ms", "--no-stop"},
		"together":      {pid, "-d", "300ms", "--suspend", "task"},
		"micro":         {pid, "-i", "50ms", "-n", "3"},
		"json":          {pid, "-f", "json"},
		"hang":          {pid, "--hang", "100ms", "-d", "1s"},
		"every":         {pid, "--every", "100ms", "-n", "3"},
		"saved":         {pid, "-d", "300ms", "--save", filepath.Join(t.TempDir(), "it.snap")},
		"follows waits": {pid, "--follow-waits"},
		"system":        {"--system"},
		"system a time": {"--system", "-d", "300ms"},
	}
}

// TestInterruptedWhileItWaits: a folder for the report that does not answer.
func TestInterruptedWhileItWaits(t *testing.T) {
	needRoot(t)
	m := fusetest.Mount(t, nil)
	m.Deafen()
	pid := sleeper(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := exec.Command(stacksnap, pid, "-d", "100ms", "-o", filepath.Join(m.Dir, "report.txt"))
		stop := time.AfterFunc(time.Second, func() { _ = cmd.Process.Signal(sig) })
		r := finish(t, limit, cmd)
		stop.Stop()
		r.check(t)
		if r.took > 4*time.Second || r.code != 1 || !strings.Contains(r.err, "interrupted") {
			t.Errorf("%v: it took %v, exit %d: %s", sig, r.took, r.code, r.err)
		}
		if isStopped(t, pid) {
			t.Errorf("%v: it is left stopped", sig)
		}
	}
}

// TestSilentMount: nothing hangs, nothing is left stopped, and the report says what is
// missing.
func TestSilentMount(t *testing.T) {
	needRoot(t)
	program, body := buildMapper(t)
	for name, start := range silentTargets {
		t.Run(name, func(t *testing.T) {
			m := fusetest.Mount(t, map[string][]byte{"program": body, "zeros": make([]byte, 1<<20)})
			pid := start(t, program, m)
			m.Silence()
			for mode, args := range silentModes(t, pid) {
				r := snap(t, limit, args...)
				if strings.HasPrefix(mode, "system") {
					r.peak = 0 // what that takes is the whole machine's
				}
				r.check(t)
				if isStopped(t, pid) {
					t.Fatalf("%s: it is left stopped", mode)
				}
				said := r.out + r.err
				asks := name != "poll" && mode != "hang" && mode != "every" // a file on the mount is to be read
				if r.code != 0 || !r.hung && asks && !strings.Contains(said, "does not answer") {
					t.Errorf("%s: exit %d: %s", mode, r.code, said)
				}
				if mode == "one-shot" && !strings.Contains(said, "main") {
					t.Errorf("main is not named:\n%s", said)
				}
				t.Logf("%s: %v", mode, r.took.Round(time.Millisecond))
			}
		})
	}
}
