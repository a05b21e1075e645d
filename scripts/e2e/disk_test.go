//go:build linux

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// smallDisk mounts a file system that holds 512 KB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		needs.Feature(t, "mounts", err, fs.ErrPermission)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill takes all room of a disk that is left, in a file.
func fill(t *testing.T, dir string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "ballast"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
}

// TestWatchOnAFullDisk: reports are printed while there is no room for them, old
// files stay, and files are written again when there is room.
func TestWatchOnAFullDisk(t *testing.T) {
	dir := smallDisk(t)
	worker := startWorker(t)
	w := run(t, "-p", worker.pid(), "--thread", spinner(t, worker), "--dir", dir, "--keep", "3", "--every", "100ms", "--hang", "200ms", "--max-hang", "300ms")
	files := func(pattern string) []string {
		all, _ := filepath.Glob(filepath.Join(dir, pattern))
		return all
	}
	w.until("files are written", func() bool { return len(files("*.txt")) == 3 })
	fill(t, dir)
	w.until("a report is printed", func() bool { return strings.Contains(w.text(w.out), "Process:") })
	// What was being written when the disk was full gives its room back, which is
	// enough for other reports until it is taken, too.
	var before, now string
	for n, end := 0, time.Now().Add(patience); n == 0 || now != before && time.Now().Before(end); n++ {
		before = strings.Join(files("*.txt"), "\n")
		printed := strings.Count(w.text(w.out), "Process:")
		w.until("more are printed", func() bool {
			fill(t, dir)
			return strings.Count(w.text(w.out), "Process:") > printed+2
		})
		now = strings.Join(files("*.txt"), "\n")
	}
	if now != before || len(files("*.txt")) != 3 {
		t.Errorf("before:\n%s\nthen:\n%s", before, now)
	}
	if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
		t.Fatal(err)
	}
	wrote := strings.Count(w.text(w.err), "wrote")
	w.until("files are written again", func() bool { return strings.Count(w.text(w.err), "wrote") > wrote+3 })
	r := w.end()
	if r.code != 1 || !strings.Contains(r.err, "no space left on device; the report follows") || !strings.Contains(r.err, "files to write to") {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
	checkLines(t, r)
	if left := files(".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, file := range files("*.snap") {
		if !opens(t, file) {
			t.Errorf("%s has no snapshot", file)
		}
	}
}

// checkLines requires one line for each report, whether written or printed.
func checkLines(t *testing.T, r result) {
	t.Helper()
	said, printed := 0, strings.Count("\n"+r.out, "\nProcess:")
	for line := range strings.Lines(r.err) {
		switch {
		case !strings.HasPrefix(line, "stacksnap: "):
			t.Errorf("a line is not ours: %q", line)
		case strings.Contains(line, "; the report follows"):
			said++
		}
	}
	if said != printed {
		t.Errorf("%d reports were announced, %d printed", said, printed)
	}
}

// TestSamplingOnAFullDisk: the report is printed all the same, and what the
// recording has opens.
func TestSamplingOnAFullDisk(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "8", "spin")
	dir := smallDisk(t)
	recording := filepath.Join(dir, "recording")
	w := run(t, "-p", pid(target), "-d", "1h", "-i", "1ms", "--save", recording)
	w.until("the first snapshot is saved", func() bool { return opens(t, recording) })
	fill(t, dir)
	r := w.result()
	refused(t, r, 1, recording, "no space left on device")
	if !strings.Contains(r.out, "leaf_spin") {
		t.Errorf("no report:\n%s", r.out)
	}
	if again := snap(t, recording); !strings.Contains(again.out, "leaf_spin") {
		t.Errorf("the recording does not open: %s", again.err)
	}
	if err := os.Remove(recording); err != nil {
		t.Fatal(err)
	}
	fill(t, dir)
	refused(t, snap(t, "-p", pid(target), "--save", recording), 1, recording, "no space left on device")
	if _, err := os.Stat(recording); err == nil && !opens(t, recording) {
		t.Error("half a recording is left")
	}
}
