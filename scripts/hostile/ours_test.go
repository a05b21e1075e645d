//go:build hostile && linux

package hostile

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	defaultSignals = 10                    // of a kind and mode, where STACKSNAP_SIGNALS does not say it
	signalsOfRun   = 25                    // of those that do not end it
	lifetime       = 60 * time.Millisecond // in which a run is ended that would last
	triesOfEach    = 5                     // for one signal that comes while stacksnap runs
)

// ourKinds are the signals that stacksnap is sent.
var ourKinds = []struct {
	syscall.Signal
	ends  bool // it
	stops bool // it, until SIGCONT
}{
	{Signal: syscall.SIGINT, ends: true}, {Signal: syscall.SIGTERM, ends: true}, {Signal: syscall.SIGHUP, ends: true},
	{Signal: syscall.SIGQUIT, ends: true}, {Signal: syscall.SIGKILL, ends: true},
	{Signal: syscall.SIGTSTP, stops: true}, {Signal: syscall.SIGSTOP, stops: true},
	{Signal: syscall.SIGPIPE}, {Signal: syscall.SIGUSR1}, {Signal: syscall.SIGWINCH},
}

// TestOurSignals: whatever is sent to stacksnap, and whenever, it ends in time, and the
// target runs on with all of the signals that it gets meanwhile.
func TestOurSignals(t *testing.T) {
	heed(t)
	c := startCounting(t)
	f := c.feed(t)
	n := signalsAsked()
	for mode := range signalModes {
		t.Run(signalModes[mode].name, func(t *testing.T) {
			if signalModes[mode].args == nil {
				f.alone(t, n)
				return
			}
			for _, kind := range ourKinds {
				t.Run(kind.String(), func(t *testing.T) {
					if kind.ends {
						c.endOften(t, f, mode, kind.Signal, n)
					} else {
						c.pesterOften(t, f, mode, kind.Signal, kind.stops, n)
					}
				})
			}
		})
	}
}

// heed has no program that the test starts ignore a signal because the test does, as it
// would below nohup: what is caught here is not ignored there (execve(2)).
func heed(t *testing.T) {
	for _, kind := range ourKinds {
		if signal.Ignored(kind.Signal) {
			caught := make(chan os.Signal, 1)
			signal.Notify(caught, kind.Signal)
			t.Cleanup(func() { signal.Stop(caught) })
		}
	}
}

func signalsAsked() int {
	if asked, err := strconv.Atoi(os.Getenv("STACKSNAP_SIGNALS")); err == nil {
		return asked
	}
	return defaultSignals
}

// alone is the control: n bursts of the target's signals without stacksnap.
func (f *feed) alone(t *testing.T, n int) {
	t.Helper()
	before := f.arrived(t)
	time.Sleep(time.Duration(n) * between)
	t.Logf("%d queued signals arrived", f.arrived(t)-before)
}

// endOften ends n runs of stacksnap by a signal, each at a random moment of its run.
func (c *counting) endOften(t *testing.T, f *feed, mode int, sig syscall.Signal, n int) {
	t.Helper()
	before, began := f.arrived(t), time.Now()
	life := c.life(t, mode)
	met, tries, longest := 0, 0, time.Duration(0)
	for ; met < n && tries < triesOfEach*n; tries++ {
		ran, took := c.end(t, mode, sig, life)
		if ran {
			met, longest = met+1, max(longest, took)
		}
	}
	total := f.arrived(t) - before
	t.Logf("%d signals in %d runs, the last of it after %v at most; %d queued signals arrived; %v",
		met, tries, longest, total, time.Since(began))
	if met < n {
		t.Errorf("only %d of %d came while it ran", met, n)
	}
}

// life is how long a run of a mode lasts where nobody ends it, or the part of it in which
// it is ended.
func (c *counting) life(t *testing.T, mode int) time.Duration {
	t.Helper()
	began := time.Now()
	cmd := c.look(t, mode)
	late := time.AfterFunc(lifetime, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	late.Stop()
	return min(lifetime, time.Since(began))
}

// end sends a signal to stacksnap at a random moment, which ends it. It returns whether
// stacksnap ran still, and how long it took to end.
func (c *counting) end(t *testing.T, mode int, sig syscall.Signal, life time.Duration) (ran bool, took time.Duration) {
	t.Helper()
	cmd := c.look(t, mode)
	c.pause(life / 2)
	ran = runs(cmd)
	sent := time.Now()
	_ = cmd.Process.Signal(sig)
	ends(t, cmd, sig.String())
	took = time.Since(sent)
	c.runsOn(t)
	return ran, took
}

// pesterOften sends n signals that do not end stacksnap.
func (c *counting) pesterOften(t *testing.T, f *feed, mode int, sig syscall.Signal, stops bool, n int) {
	t.Helper()
	before, began := f.arrived(t), time.Now()
	met, tries := 0, 0
	for ; met < n && tries < triesOfEach*n; tries++ {
		met += c.pester(t, mode, sig, stops, min(n-met, signalsOfRun))
	}
	total := f.arrived(t) - before
	t.Logf("%d signals in %d runs; %d queued signals arrived; %v", met, tries, total, time.Since(began))
	if met < n {
		t.Errorf("only %d of %d came while it ran", met, n)
	}
}

// pester sends up to n signals to one run of stacksnap at random moments, and ends it.
// It returns how many came while it ran.
func (c *counting) pester(t *testing.T, mode int, sig syscall.Signal, stops bool, n int) (met int) {
	t.Helper()
	cmd := c.look(t, mode)
	for met < n {
		if c.pause(2 * time.Millisecond); !runs(cmd) {
			break
		}
		_ = cmd.Process.Signal(sig)
		met++
		if !stops {
			continue
		}
		c.pause(2 * time.Millisecond)
		if sig == syscall.SIGTSTP { // of the other nobody is told
			c.runsWhileStopped(t, cmd)
		}
		_ = cmd.Process.Signal(syscall.SIGCONT)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	ends(t, cmd, sig.String())
	c.runsOn(t)
	return met
}

// runs reports whether a command has not ended.
func runs(cmd *exec.Cmd) bool {
	state := processState(cmd)
	return state != 0 && state != 'Z'
}

// processState is the state of a command's first thread, 0 where there is none.
func processState(cmd *exec.Cmd) byte {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
	if err != nil {
		return 0
	}
	return stateOf(stat)
}

// runsWhileStopped requires that the target is not stopped while stacksnap is.
func (c *counting) runsWhileStopped(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	stands := func() bool { return processState(cmd) == 'T' }
	if stands() && isStopped(t, c.compiled.pid) && stands() {
		t.Error("the target was stopped while stacksnap was, after Ctrl-Z")
	}
}

// TestAllAtOnceIsReached: the mode of that name stops the target so.
func TestAllAtOnceIsReached(t *testing.T) {
	c := startCounting(t)
	c.feed(t)
	file := filepath.Join(t.TempDir(), "report.json")
	args := append([]string{"-p", c.compiled.pid, "-o", file, "--format", "json"}, togetherArgs...)
	snap(t, limit, append(args, "-d", "500ms")...).check(t)
	s := readStops(t, file)
	if !strings.Contains(strings.Join(s.Notes, "\n"), "not of one moment") {
		t.Errorf("%d stops; notes %q", s.Stops, s.Notes)
	}
}
