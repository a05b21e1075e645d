package capture

import (
	"errors"
	"testing"

	"stacksnap/task"
)

// standingIn is a thread in a mapping, of which the stop has shown of what file it is.
func standingIn(id task.ThreadID, n int, inode uint64) task.Thread {
	t := task.Thread{ID: id, Registers: registersAt(region(n, 0).Start + 0x40), Probe: task.StopProbe{Mapped: []task.ProbedMapping{seenAt(n, inode)}}}
	t.Registers.Set(task.AMD64.SP(), 0x900000)
	return t
}

// TestMostAreWalkedAsCaptured: of threads that stood in what was mapped at different times
// as few as can be lead to what was not there.
func TestMostAreWalkedAsCaptured(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []uint64 // in which the threads stood
		want  uint64   // that of the memory map that is current then
	}{
		{"one before, two now", []uint64{7, 8, 8}, 8},
		{"two before, one now", []uint64{7, 7, 8}, 7},
		{"as many before as now", []uint64{7, 8}, 7}, // it is not walked once more for that
	} {
		p := &mapped{listed: listed{info: task.Info{OS: task.Linux, Live: true}}, regions: []task.Region{region(1, 7)}}
		r, err := newRecorder(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.regions = []task.Region{region(1, 8)}
		r.tracker.reread()
		r.tracker.watch()
		s := &task.Snapshot{}
		wrong := 0
		for i, file := range tt.files {
			s.Threads = append(s.Threads, standingIn(task.ThreadID(i+1), 1, file))
			if file != tt.want {
				wrong++
			}
		}
		r.walk(s)
		if n := r.tracker.memoryMap.maps[0].Inode; n != tt.want {
			t.Errorf("%s: file %d is current, want %d", tt.name, n, tt.want)
		}
		if n := r.countRemapped(s); n != wrong || len(r.stacks) != len(tt.files) {
			t.Errorf("%s: %d of %d stacks lead to what was not there, want %d of %d", tt.name, n, len(r.stacks), wrong, len(tt.files))
		}
		r.tracker.close()
	}
}

// TestGeneratedCodeIsReadAbout: a thread in code of no file has the memory map read again, and
// one in a file that is known does not.
func TestGeneratedCodeIsReadAbout(t *testing.T) {
	for stands, want := range map[int]int{1: 1, 2: 2} {
		p := &mapped{listed: listed{info: task.Info{OS: task.Linux, Live: true}}, regions: []task.Region{region(1, 7)}}
		r, err := newRecorder(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.tracker.watch()
		p.regions = []task.Region{region(1, 7), region(2, 0)}
		th := standingIn(1, stands, 0)
		th.Probe = task.StopProbe{}
		r.walk(&task.Snapshot{Threads: []task.Thread{th}})
		if n := len(r.tracker.memoryMap.code); n != want {
			t.Errorf("in mapping %d: %d are known, want %d", stands, n, want)
		}
		r.tracker.close()
	}
}

// TestRemappedCodeIsNotShown: of two threads whose stops found different files at one address
// one was walked in the wrong images. A recorder leaves its sample out, and has the thread
// walked anew at the next; a shot says why it has no stack.
func TestRemappedCodeIsNotShown(t *testing.T) {
	for _, tt := range []struct {
		files []uint64 // in which the threads were stopped
		wrong int
	}{
		{[]uint64{7, 7}, 0},
		{[]uint64{7, 9}, 1},
	} {
		p := &mapped{listed: listed{info: task.Info{OS: task.Linux, Live: true}}, regions: []task.Region{region(1, 7)}}
		snapshot := func() *task.Snapshot {
			s := &task.Snapshot{}
			for i, file := range tt.files {
				s.Threads = append(s.Threads, standingIn(task.ThreadID(i+1), 1, file))
			}
			return s
		}
		r, err := newRecorder(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.tracker.watch()
		r.missing[1] = true
		if s := snapshot(); r.add(s) != nil || r.left != tt.wrong || len(s.Threads) != len(tt.files)-tt.wrong || len(r.missing) != tt.wrong {
			t.Errorf("files %d: %d samples left out, %d stay, to be walked anew: %v", tt.files, r.left, len(s.Threads), r.missing)
		}
		r.tracker.close()

		shot := newShot(p, Options{})
		shot.tracker.watchAll()
		shot.snapshot.Threads = snapshot().Threads
		stopped := errors.New("the target cannot be stopped again")
		if err := shot.completeStop(stopped); err != stopped {
			t.Error(err)
		}
		cut := 0
		for i := range shot.stacks {
			if errors.Is(shot.stacks[i].Stop.Err, errRemapped) {
				cut++
			}
		}
		if cut != tt.wrong || len(shot.stacks) != len(tt.files) {
			t.Errorf("files %d: %d of %d stacks cut", tt.files, cut, len(shot.stacks))
		}
		shot.close()
	}
}
