package words

import (
	"testing"
	"time"

	"stacksnap/format/profile/headline"
)

// TestWaitedForCPU has the share of the time in which threads were runnable, from a fifth on.
func TestWaitedForCPU(t *testing.T) {
	const ms = time.Millisecond
	for want, b := range map[string]headline.CPUTime{
		"": {OnCPU: 801 * ms, Queue: 199 * ms},
		", waiting for a CPU 20 % of the time when runnable":  {OnCPU: 800 * ms, Queue: 200 * ms},
		", waiting for a CPU 100 % of the time when runnable": {Queue: 200 * ms},
	} {
		if got := waitedForCPU(&b); got != want {
			t.Errorf("%+v: %q, want %q", b, got, want)
		}
	}
	if got := waitedForCPU(&headline.CPUTime{}); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
