//go:build linux || darwin

package scriptstest

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// watchFile makes stacksnap's stand-in watch until the file is removed.
func (b *bench) watchFile() (end func()) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "watching")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.env = append(b.env, "FAKE_WATCH="+path)
	return func() { _ = os.Remove(path) }
}

func TestHangWatchOfAPid(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env = []string{"FAKE_EXIT=5"}
	r := b.run("capture-on-hang.sh", "-p", "4711", "--hang=1s", "--max-hang", "20s", "--every", "1h",
		"--exec", `notify "a hang"`, "--dir", b.dir, "--keep", "7", "--", "--thread", "worker")
	want := `[-p][4711][--thread][worker][--exec][notify "a hang"][--hang][1s][--max-hang][20s][--every][1h][--dir][` +
		b.dir + "][--keep][7]"
	if calls := b.calls(); r.code != 0 || len(calls) != 1 || calls[0] != want {
		t.Errorf("exit %d, called %v, want %s\n%s", r.code, calls, want, r.err)
	}
	if info, err := os.Stat(b.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info, err)
	}
}

func TestHangWatchGoesOnWithTheName(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env = []string{"FAKE_EXIT=5"}
	w := b.watch("capture-on-hang.sh", "-p", "some server", "--dir", b.dir)
	eventually(t, "it watches anew", func() bool { return len(b.calls()) >= 3 })
	_ = w.cmd.Process.Signal(syscall.SIGTERM)
	if code := w.code(); code != 0 {
		t.Errorf("exit %d\n%s", code, w.errs.String())
	}
	for _, call := range b.calls() {
		if !strings.HasPrefix(call, "[--wait][some server][--hang][250ms][--max-hang][10s]") {
			t.Errorf("called %s", call)
		}
	}
}

func TestHangWatchPassesRefusalsOn(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"1", "2", "3", "4"} {
		for _, target := range []string{"4711", "some name"} {
			b := newBench(t)
			b.env = []string{"FAKE_EXIT=" + code}
			r := b.run("capture-on-hang.sh", "-p", target, "--dir", b.dir)
			if string(rune('0'+r.code)) != code || len(b.calls()) != 1 {
				t.Errorf("stacksnap ended with %s: exit %d, called %v", code, r.code, b.calls())
			}
		}
	}
}

func TestHangWatchEndsBySignalWithStacksnap(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if signal.Ignored(sig) { // as under nohup; a shell cannot trap it then
			continue
		}
		b := newBench(t)
		b.watchFile()
		w := b.watch("capture-on-hang.sh", "-p", "4711", "--dir", b.dir)
		eventually(t, "it watches", func() bool { return len(b.calls()) == 1 })
		_ = w.cmd.Process.Signal(sig)
		if code := w.code(); code != 0 {
			t.Errorf("%v: exit %d\n%s", sig, code, w.errs.String())
		}
		if calls := b.calls(); len(calls) != 2 || calls[1] != "[stopped]" {
			t.Errorf("%v: called %v", sig, calls)
		}
	}
}

func TestHangWatchPausesWhileTheDiskIsFull(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.watchFile()
	full := fakeDF(t, b)
	w := b.watch("capture-on-hang.sh", "-p", "4711", "--dir", b.dir, "--check", "1")
	eventually(t, "it watches", func() bool { return len(b.calls()) == 1 })
	full(true)
	eventually(t, "it pauses", func() bool { return len(b.calls()) == 2 })
	full(false)
	eventually(t, "it watches again", func() bool { return len(b.calls()) == 3 })
	_ = w.cmd.Process.Signal(syscall.SIGTERM)
	if code := w.code(); code != 0 || !strings.Contains(w.errs.String(), "the watch pauses") {
		t.Errorf("exit %d\n%s", code, w.errs.String())
	}
}

// fakeDF puts a df in the PATH whose disk is as full as it is told.
func fakeDF(t *testing.T, b *bench) (full func(bool)) {
	t.Helper()
	bin := t.TempDir()
	flag := filepath.Join(bin, "full")
	df := `#!/bin/sh
free=99999999
[ ! -e '` + flag + `' ] || free=12
echo "Filesystem 1024-blocks Used Available Capacity Mounted on"
echo "/dev/a disk with spaces 200000000 1 $free 99% /mnt/a place"
`
	if err := writeProgram(filepath.Join(bin, "df"), []byte(df), 0o755); err != nil {
		t.Fatal(err)
	}
	b.env = append(b.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func(is bool) {
		if is {
			_ = os.WriteFile(flag, nil, 0o600)
		} else {
			_ = os.Remove(flag)
		}
	}
}
