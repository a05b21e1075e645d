//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// The slots of testdata/work.c.
const (
	slotSplit = iota
	slotSpun
	slotSent
	slotReceived
	slots
)

// worker is a running testdata/work.c.
type worker struct {
	*program
	file string
}

func (r *room) worker(program string) worker {
	r.Helper()
	file := filepath.Join(r.TempDir(), "counts")
	return worker{r.target(program, r.inside(file)), file}
}

func (w worker) counts() (c [slots]uint64) {
	b, err := os.ReadFile(w.file)
	if err != nil || len(b) < slots*8 {
		w.room.Fatalf("counts: %d bytes, %v", len(b), err)
	}
	for i := range c {
		c[i] = binary.LittleEndian.Uint64(b[i*8:])
	}
	return c
}

// patience is long for any machine: what has not come about by then never will.
const patience = 2 * time.Minute

// runsOn requires that every thread of the target gets on.
func (w worker) runsOn(after string) {
	w.room.Helper()
	before := w.counts()
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		now := w.counts()
		still := 0
		for i := range now {
			if now[i] == before[i] {
				still++
			}
		}
		switch {
		case still == 0:
			return
		case w.hasEnded():
			w.room.Fatalf("%s: the target ended: %s", after, w.output(1))
		case time.Since(begin) > patience:
			w.room.Fatalf("%s: %d threads of the target stand: %v, and %v later %v", after, still, before, patience, now)
		}
	}
}

// TestKilledAtRandomMoments ends stacksnap by each signal at random moments: the
// target runs on, whatever stacksnap was doing. In the plain mode of the space a
// hold does not go with its holder, so there only what lets go itself is asked.
func TestKilledAtRandomMoments(t *testing.T) {
	program := compile(t, "work.c", cFlags...)
	liveIn(t, likeXNU(), either(30*time.Minute, 6*time.Minute), func(r *room) {
		w := r.worker(program)
		begin := time.Now()
		r.look(w.program)
		within := 2*time.Since(begin) + 300*time.Millisecond
		for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM} {
			for range either(100, 20) {
				p := r.start(built.stacksnap, "-p", fmt.Sprint(w.pid), "-d", "1h", "-i", "5ms")
				time.Sleep(rand.N(within)) // nothing depends on what it does then
				p.signal(sig)
				p.endedBy(sig)
				w.runsOn(sig.String())
			}
		}
		r.Logf("%d times each of KILL, INT and TERM, within %v of its start", either(100, 20), within)
	})
}

// endedBy waits for the end of a program that was sent a signal, perhaps before it
// ran: then it is sent again.
func (p *program) endedBy(sig syscall.Signal) {
	p.room.Helper()
	for {
		select {
		case <-p.ended:
			p.room.checkEnvironment(p)
			return
		case <-time.After(500 * time.Millisecond):
			p.signal(sig)
		}
		if time.Now().After(p.room.until) {
			p.stuck()
		}
	}
}

// TestShares: the samples of a thread that spends 70, 20 and 10 % of its time in
// three functions differ from that as chance has it, and its work goes on.
func TestShares(t *testing.T) {
	program := compile(t, "work.c", "-O1")
	live(t, 4*time.Minute, func(r *room) {
		w := r.worker(program)
		free := w.rate(3 * time.Second)
		for _, interval := range []string{"10ms", "1ms"} {
			before, begin := w.counts()[slotSplit], time.Now()
			rep := r.report("-p", fmt.Sprint(w.pid), "--main", "-d", either("30s", "8s"), "-i", interval, "--jitter")
			took := time.Since(begin)
			done := float64(w.counts()[slotSplit] - before)
			chi, total, counts := chiSquare(r, rep)
			stood := time.Duration(rep.Stopped)
			r.Logf("%s: %d samples, %v, chi-square %.2f; missed %d; stopped %v of %v, longest %v; work %.0f %% of that before",
				interval, total, counts, chi, rep.Missed, stood, took, time.Duration(rep.LongestStop), 100*done/took.Seconds()/free)
			// Where the thread has to wait for a processor, many samples see one moment.
			if timing() && (chi > 20 || total < 100) { // 2 degrees of freedom: one in 20,000
				r.Errorf("%s: chi-square %.1f: %v", interval, chi, counts)
			}
			if done == 0 {
				r.Errorf("%s: no work was done in %v", interval, took)
			}
			w.runsOn("sampling at " + interval)
		}
	})
}

// rate is the work done in a second.
func (w worker) rate(d time.Duration) float64 {
	before, begin := w.counts()[slotSplit], time.Now()
	time.Sleep(d)
	return float64(w.counts()[slotSplit]-before) / time.Since(begin).Seconds()
}

// chiSquare compares the innermost functions with the shares of testdata/work.c,
// as scripts/e2e does on Linux.
func chiSquare(r *room, rep *report) (chi float64, total int, counts map[string]int) {
	r.Helper()
	shares := map[string]float64{"seventy": 0.7, "twenty": 0.2, "ten": 0.1}
	counts = map[string]int{}
	for _, th := range rep.Threads {
		for i := range th.Nodes {
			// What a function calls, such as the space's own handler of a stop, is its
			// time.
			if f := th.Nodes[i].Function; shares[f] > 0 {
				counts[f] += th.Nodes[i].Count
				total += th.Nodes[i].Count
			}
		}
	}
	for f, share := range shares {
		want := share * float64(total)
		chi += math.Pow(float64(counts[f])-want, 2) / max(want, 1)
	}
	return chi, total, counts
}

// TestRecordingElsewhere: a recording gives the same report on another system, byte
// for byte.
func TestRecordingElsewhere(t *testing.T) {
	needs.OS(t, "linux")
	program := compile(t, "threads.c", cFlags...)
	live(t, 2*time.Minute, func(r *room) {
		p := r.target(program, "8")
		file := filepath.Join(r.TempDir(), "it.snap")
		for _, args := range [][]string{nil, {"-d", "2s"}} {
			here := r.ok(r.snap(append([]string{"-p", fmt.Sprint(p.pid), "--save", r.inside(file)}, args...)...))
			there := r.ok(r.onLinux(file))
			if a, b := here, there; a != b {
				r.Errorf("%v: there it is\n%s\nand here\n%s", args, firstDifference(a, b), firstDifference(b, a))
			}
			if err := os.Remove(file); err != nil {
				r.Error(err)
			}
		}
	})
}

// onLinux runs the build for this system.
func (r *room) onLinux(args ...string) result {
	native := &room{T: r.T, space: &space{name: "linux"}, until: r.until}
	return native.start(append([]string{built.linux}, args...)...).wait()
}

func firstDifference(a, b string) string {
	for i := 0; i < len(a); i++ {
		if i >= len(b) || a[i] != b[i] {
			return a[max(0, i-200):min(len(a), i+200)]
		}
	}
	return "all of that, and more"
}
