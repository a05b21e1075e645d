//go:build linux

package lastrun

import (
	"testing"
	"time"
)

const schedFile = `cat (30482, #threads: 1)
-------------------------------------------------------------------
se.exec_start                                :      31384971.904556
se.vruntime                                  :      86590961.376998
nr_switches                                  :                   70
nr_voluntary_switches                        :                    9
nr_involuntary_switches                      :                   61
`

func TestParseSched(t *testing.T) {
	want := sched{last: 31384971904556 * time.Nanosecond, waits: 9}
	if got, ok := parseSched([]byte(schedFile)); !ok || got != want {
		t.Errorf("%+v, %v; want %+v", got, ok, want)
	}
	for _, text := range []string{
		"", "se.exec_start : 5.000000\n", "nr_voluntary_switches : 9\n",
		"se.exec_start : 0.000000\nnr_voluntary_switches : 9\n", // moved, and did not run yet
		"se.exec_start : -5.0\nnr_voluntary_switches : 9\n", "se.exec_start : x\nnr_voluntary_switches : 9\n",
		"se.exec_start : 5.000000\nnr_voluntary_switches : -9\n",
	} {
		if got, ok := parseSched([]byte(text)); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestParseStat(t *testing.T) {
	const rest = " 1 7 7 0 -1 4194304 100 5 23 6 8 9 0 0 39 19 1 0 150 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 3 0 0\n"
	for state, want := range map[string]bool{"S": true, "D": true, "T": true, "t": true, "R": false, "Z": false, "X": false} {
		if blocked, cpu, ok := parseStat([]byte("7 (a) b) " + state + rest)); blocked != want || cpu != 3 || !ok {
			t.Errorf("%s: %v, %d, %v", state, blocked, cpu, ok)
		}
	}
	for _, text := range []string{"", "7", "7 (a) S 1 7\n"} {
		if _, _, ok := parseStat([]byte(text)); ok {
			t.Errorf("%q was taken", text)
		}
	}
}
