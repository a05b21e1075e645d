package task

import (
	"runtime"
	"testing"
	"time"
)

// Sleeps that Go's scheduler is not told of end, and give way to a collection.
func TestQuietSleep(t *testing.T) {
	clock := aloneClock()
	if _, ok := clock.(quiet); !ok {
		t.Fatalf("%T", clock)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20 {
			for at := clock.Now() + time.Millisecond; clock.Now() < at; {
				clock.SleepUntil(at)
			}
		}
	}()
	for {
		select {
		case <-done:
			clock.SleepUntil(-1) // long ago by any clock
			at := clock.Now() + longestQuiet + time.Millisecond
			for clock.Now() < at {
				clock.SleepUntil(at)
			}
			return
		default:
			runtime.GC()
		}
	}
}

func TestQuietSleepAllocatesNothing(t *testing.T) {
	clock := aloneClock()
	if n := testing.AllocsPerRun(20, func() { clock.SleepUntil(clock.Now() + time.Microsecond) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Only who samples alone, and leaves a processor to other goroutines, sleeps so.
func TestQuietOnlyAlone(t *testing.T) {
	isQuiet := func(s *sampler) bool { _, ok := s.clock().(quiet); return ok }
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	if !isQuiet(&sampler{options: Options{Alone: true}}) || isQuiet(&sampler{}) {
		t.Error("not by Alone")
	}
	if isQuiet(&sampler{options: Options{Alone: true, Clock: SystemClock()}}) {
		t.Error("another clock was asked for")
	}
	runtime.GOMAXPROCS(1)
	if isQuiet(&sampler{options: Options{Alone: true}}) {
		t.Error("with one processor")
	}
}
