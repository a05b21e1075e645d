package hang_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/hang"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/report"
	"stacksnap/format/text"
	"stacksnap/format/words"
	"stacksnap/task/live"
	"stacksnap/task/live/livetest"
	"stacksnap/task/needs"
	"stacksnap/task/recording"
)

// watchStuck starts testdata/loop.c, stuck, and watches it until enough says that
// the reports will do.
func watchStuck(t *testing.T, o hang.Options, enough func([]*hangreport.Report) bool) (reports []*hangreport.Report) {
	t.Helper()
	cmd := exec.Command(livetest.Build(t, "loop"), "mutex:600000")
	livetest.Run(t, cmd)
	process, err := live.Open(cmd.Process.Pid)
	needs.Ptrace(t, err)
	defer func() { _ = process.Close() }()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	_, err = hang.Watch(ctx, process, o, func(r *hangreport.Report) error {
		if reports = append(reports, r); enough(reports) {
			stop()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return reports
}

// tree is a profile as a person reads it.
func tree(t *testing.T, p *profile.Profile) string {
	t.Helper()
	var b bytes.Buffer
	if err := text.Tree(&b, report.Of(p), words.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type plainOutput struct{ *os.File }

func (p plainOutput) Remove() error {
	if p.Name() == os.DevNull {
		return nil
	}
	return os.Remove(p.Name())
}

// TestRecordingsOfAWatch reopens what a watch has saved of each report.
func TestRecordingsOfAWatch(t *testing.T) {
	dir, saved := t.TempDir(), 0
	o := hang.Options{
		Threshold: 100 * time.Millisecond, MaxHang: 300 * time.Millisecond, Every: 200 * time.Millisecond, Tool: "test",
		Save: func(start time.Time) (recording.Output, error) {
			if start.IsZero() {
				t.Error("no start")
			}
			saved++
			f, err := os.Create(filepath.Join(dir, fmt.Sprint(saved)))
			return plainOutput{f}, err
		},
	}
	count := map[hangreport.Reason]int{}
	reports := watchStuck(t, o, func(rs []*hangreport.Report) bool {
		count[rs[len(rs)-1].Reason]++
		return count[hangreport.Hang] > 0 && count[hangreport.Periodic] > 2
	})
	for _, r := range reports {
		if r.SaveErr != nil || r.Recording == "" {
			t.Errorf("recording %q: %v", r.Recording, r.SaveErr)
			continue
		}
		again, err := capture.Replay(r.Recording, capture.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		if now, then := tree(t, again), tree(t, r.Profile); now != then {
			t.Errorf("reopened:\n%s\nreported:\n%s", now, then)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != len(reports) {
		t.Errorf("%d files of %d reports: %v", len(files), len(reports), err)
	}
}

// TestReportsOutliveTheirRecordings has a watch save where that is not possible.
func TestReportsOutliveTheirRecordings(t *testing.T) {
	full := errors.New("nowhere to save")
	calls := 0
	o := hang.Options{
		Every: 50 * time.Millisecond, Tool: "test",
		Save: func(time.Time) (recording.Output, error) {
			if calls++; calls == 1 {
				return nil, full
			}
			f, err := os.Open(os.DevNull)
			return plainOutput{f}, err
		},
	}
	reports := watchStuck(t, o, func(rs []*hangreport.Report) bool { return len(rs) == 2 })
	for i, want := range []error{full, syscall.EBADF} {
		r := reports[i]
		if !errors.Is(r.SaveErr, want) || r.Recording != "" || len(r.Profile.Threads) == 0 {
			t.Errorf("report %d: recording %q, %v; want %v", i, r.Recording, r.SaveErr, want)
		}
	}
}
