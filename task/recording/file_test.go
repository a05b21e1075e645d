package recording

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stacksnap/task"
	"stacksnap/task/needs"
)

func compressed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	if _, err := zip.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestNewerVersionIsRefused(t *testing.T) {
	_, err := NewReader(bytes.NewReader(compressed(t, "stacksnap recording 12\nwhatever")))
	var newer *VersionError
	if !errors.As(err, &newer) || newer.Version != "12" || !strings.Contains(err.Error(), "version 12") {
		t.Errorf("error %v", err)
	}
}

func TestOtherFilesAreNoRecordings(t *testing.T) {
	for name, file := range map[string][]byte{
		"empty":        {},
		"text":         []byte("hello, world\n"),
		"other gzip":   compressed(t, "hello, world\n"),
		"no version":   compressed(t, "stacksnap recording \n"),
		"hostile text": compressed(t, "stacksnap recording \x1b[2J\n"),
		"long":         compressed(t, "stacksnap recording 100000000000000000000\n"),
		"no header":    compressed(t, "stacksnap recording 1\n"),
		"no newline":   compressed(t, "stacksnap recording 1"),
	} {
		if _, err := NewReader(bytes.NewReader(file)); !errors.Is(err, ErrNotRecording) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCutInItsHeader cuts a recording everywhere before its first snapshot.
func TestCutInItsHeader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.stacksnap")
	w, err := Create(path, header)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(End{}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	early := 0
	const gzipHeader = 10
	for n := gzipHeader; n < len(whole); n++ {
		_, err := NewReader(bytes.NewReader(whole[:n]))
		if errors.Is(err, ErrCutEarly) {
			early++
		} else if err != nil {
			t.Errorf("cut after %d bytes: %v", n, err)
		}
	}
	if early == 0 {
		t.Error("no cut was in the header")
	}
}

func TestCreateAndOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.stacksnap")
	if err := os.WriteFile(path, bytes.Repeat([]byte("old"), 1e5), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Create(path, header)
	if err != nil {
		t.Fatal(err)
	}
	want := samples(1, 3)
	for i, s := range want {
		if err := w.AddSnapshot(s); err != nil {
			t.Fatal(err)
		}
		// A reader that comes in between, as after a crash, finds all so far.
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if r.Snapshots() != i+1 || r.Cut() == nil {
			t.Errorf("%d snapshots after %d, cut: %v", r.Snapshots(), i+1, r.Cut())
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := w.Close(End{}); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil || r.Cut() != nil {
		t.Fatal(err, r.Cut())
	}
	defer r.Close()
	if s, err := r.Next(); err != nil || !cmp.Equal(s, want[0], alike) {
		t.Errorf("%v %v", s, err)
	}
}

func TestCreateLeavesOtherThingsAlone(t *testing.T) {
	if _, err := Create(t.TempDir(), header); err == nil {
		t.Error("a directory was written over")
	}
	if runtime.GOOS == "linux" {
		if _, err := Create("/dev/full", header); err == nil {
			t.Error("a device was written to")
		}
	}
	if _, err := Create(filepath.Join(t.TempDir(), "no", "file"), header); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "no")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// fullDisk takes so many bytes.
type fullDisk struct {
	bytes.Buffer
	left int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	n, _ := d.Buffer.Write(p[:min(len(p), d.left)])
	d.left -= n
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func TestFullDisk(t *testing.T) {
	want := samples(2, 12)
	file, ends := write(t, want)
	for _, room := range []int{0, 10, ends[0] + 1, ends[5] - 1, ends[5], ends[11], len(file) - 1} {
		d := &fullDisk{left: room}
		w, err := NewWriter(d, header)
		whole := 0
		if err == nil {
			addFacts(w)
		}
		for i := 0; i < len(want) && err == nil; i++ {
			if err = w.AddSnapshot(want[i]); err == nil {
				whole++
			}
		}
		if err == nil {
			err = w.Close(ended)
		} else if w != nil && (w.AddSnapshot(want[0]) != err || w.Close(End{}) != err) {
			t.Error("the error is forgotten")
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("room for %d: error %v", room, err)
		}
		if n := wantPrefix(t, d.Bytes(), want); n < whole || n > whole+1 {
			t.Errorf("room for %d: %d snapshots, want %d", room, n, whole)
		}
	}
}

func TestProcess(t *testing.T) {
	want := samples(4, 9)
	file, _ := write(t, want)
	r := open(t, file)
	p := NewProcess(r)
	var s task.Snapshot
	for _, sample := range want {
		if _, err := p.Next(); err != nil {
			t.Fatal(err)
		}
		if err := task.Take(p, &s); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(sample.Threads, s.Threads, alike, cmpopts.IgnoreFields(task.Thread{}, "Same")); d != "" {
			t.Fatal(d)
		}
	}
	if _, err := p.Next(); err != io.EOF {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff(header.Target, p.Info(), alike); d != "" {
		t.Error(d)
	}
	if p.Describe(4242, &task.Thread{}) != task.ErrThreadGone || p.Capture(4242, &task.Thread{}) != task.ErrThreadGone {
		t.Error("there is a thread that is not")
	}
}

// TestProtoc wants the schema to be one, and to describe what is written.
func TestProtoc(t *testing.T) {
	protoc := needs.Tool(t, "protoc")
	file, _ := write(t, samples(1, 5))
	message := payload(t, file)
	cmd := exec.Command(protoc, "--decode=stacksnap.recording.Block", "recording.proto")
	cmd.Stdin = bytes.NewReader(message)
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`os_version: "macOS 14.5 (23F79)"`, `zone: "CEST"`, `name: "thread 1"`, "arch: ARM64", `reason: "bad address"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing in what protoc reads", want)
		}
	}
	for i, line := range strings.Split(string(text), "\n") {
		if field := strings.TrimSpace(line); field != "" && field[0] >= '0' && field[0] <= '9' {
			t.Errorf("line %d: the schema has no field %s", i, field)
		}
	}
	cmd = exec.Command(protoc, "--encode=stacksnap.recording.Block", "recording.proto")
	cmd.Stdin = bytes.NewReader(text)
	again, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	// protoc packs repeated numbers: other bytes, of the same meaning.
	r, err := newReader(bytes.NewReader(stream(again)), openStream)
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(r.End(), ended) {
		t.Errorf("the end, written by protoc: %s", cmp.Diff(r.End(), ended))
	}
	for i, want := range samples(1, 5) {
		s, err := r.Next()
		if err != nil || !cmp.Equal(s, want, alike) {
			t.Fatalf("snapshot %d, written by protoc: %v%s", i, err, cmp.Diff(s, want, alike))
		}
	}
}
