package capture

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"stacksnap/task/live"
	"stacksnap/task/needs"
	"stacksnap/task/recording"
)

// newOutput makes the file of a recording.
func newOutput(t *testing.T) recording.Output {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "saved"))
	if err != nil {
		t.Fatal(err)
	}
	return plainOutput{f}
}

type plainOutput struct{ *os.File }

func (p plainOutput) Remove() error { return os.Remove(p.File.Name()) }

// TestSeriesGoesOnWithoutItsRecording breaks the recording of a series between
// two snapshots.
func TestSeriesGoesOnWithoutItsRecording(t *testing.T) {
	cmd := exec.Command(needs.Tool(t, "sleep"), "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	p, err := live.Open(cmd.Process.Pid)
	needs.Ptrace(t, err)
	defer func() { _ = p.Close() }()
	s, err := NewSeries(p, Options{Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	s.Begin()
	if err := s.Save(newOutput(t)); err != nil {
		t.Fatal(err)
	}
	take := func() {
		if err := s.Take(nil); err != nil {
			t.Fatal(err)
		}
	}
	take()
	_ = s.shot.saving.file.Close(recording.End{})
	take()
	take()
	if n := s.Profile().Snapshots; n != 3 {
		t.Errorf("%d snapshots in the profile, want 3", n)
	}
	path, err := s.EndSaved()
	if path == "" || err == nil {
		t.Fatalf("recording %q, %v; want one that ended early", path, err)
	}
	if again, err := Replay(path, Options{}); err != nil || again.Snapshots != 1 {
		t.Errorf("reopened: %v, %v", again, err)
	}
}
