//go:build hostile && linux

package hostile

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// feed queues signals to the threads of a target, all the time, until its test ends.
type feed struct {
	target  *counting
	threads []int // 0: whichever the kernel chooses
	random  *rand.Rand

	mu    sync.Mutex    // of what follows; held, no signal is queued
	sent  [values]uint8 // of each value, as the target counts: modulo 256
	total int
	err   error
}

const (
	burst   = 5                // signals at once, each to a thread of its own
	between = time.Millisecond // bursts, in the mean
)

func (c *counting) feed(t *testing.T) *feed {
	t.Helper()
	f := &feed{target: c, threads: []int{0}, random: rand.New(rand.NewPCG(c.random.Uint64(), 2))}
	tasks, err := os.ReadDir("/proc/" + c.compiled.pid + "/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			t.Fatal(err)
		}
		f.threads = append(f.threads, tid)
	}
	quit, ended := make(chan bool), make(chan bool)
	go func() { defer close(ended); f.run(quit) }()
	t.Cleanup(func() { close(quit); <-ended })
	return f
}

func (f *feed) run(quit <-chan bool) {
	for f.burst() {
		select {
		case <-quit:
			return
		case <-time.After(time.Duration(f.random.Int64N(int64(2 * between)))):
		}
	}
}

// burst queues some signals, and reports whether that went well.
func (f *feed) burst() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range burst {
		value := f.total % values
		if f.err = f.target.sendTo(f.threads[f.random.IntN(len(f.threads))], value); f.err != nil {
			return false
		}
		f.sent[value]++
		f.total++
	}
	return true
}

// arrived requires that every signal that was queued has come, and once. It returns how
// many there were.
func (f *feed) arrived(t *testing.T) int {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		t.Fatal(f.err)
	}
	for end := time.Now().Add(3 * limit); !bytes.Equal(f.target.counts[16:], f.sent[:]); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			lost, doubled := f.differ()
			t.Fatalf("of %d queued signals %d were lost, and %d came too often", f.total, lost, doubled)
		}
	}
	return f.total
}

// differ counts what came less and more often than it was sent.
func (f *feed) differ() (lost, doubled int) {
	for v, sent := range f.sent {
		switch d := int(int8(sent - uint8(f.target.count(16+v)))); {
		case d > 0:
			lost += d
		case d < 0:
			doubled -= d
		}
	}
	return lost, doubled
}
