//go:build long && linux

package e2e

import (
	"strconv"
	"strings"
	"testing"
)

// TestTopShares are those that a plain sampling tells, and the target has.
func TestTopShares(t *testing.T) {
	m := newTmux(t, 100, 30)
	target := start(t, compile(t, "shares", "-O1"), "split")
	m.top("-r 500 -n 3000 -p "+pid(target), "seventy (shares)")
	m.see("ENDED *$")
	m.see("^sampling ended after [0-9.]+s  q quit  ")
	spent := map[string]float64{}
	sum := 0.0
	for _, f := range []string{"seventy", "twenty", "ten"} {
		cells := m.see(`^ +[0-9.]+ +[0-9.]+ +([0-9.]+)s +[0-9.]+s +` + f + ` \(shares\)`)
		spent[f], _ = strconv.ParseFloat(cells[1], 64)
		sum += spent[f]
	}
	m.keys("q")
	m.see("^code=0$")
	r := snap(t, "-r", "500", "-n", "3000", "--jitter", "-p", pid(target), "-f", "folded")
	plain, all := map[string]float64{}, 0.0
	for line := range strings.Lines(r.out) {
		stack, count, _ := strings.Cut(strings.TrimSpace(line[strings.LastIndex(line, ";")+1:]), " ")
		n, err := strconv.ParseFloat(count, 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		plain[stack] += n
		all += n
	}
	for f, share := range map[string]float64{"seventy": .7, "twenty": .2, "ten": .1} {
		t.Logf("%s: %.1f %% of the CPU time shown, %.1f %% of plain samples", f, 100*spent[f]/sum, 100*plain[f]/all)
		// Four standard deviations of a share in 1,000 independent samples, as a busy
		// machine leaves of 3,000.
		const most = .06
		if got := spent[f] / sum; got < share-most || got > share+most {
			t.Errorf("%s has %.3f of the CPU time, want %.1f", f, got, share)
		}
		if got := plain[f] / all; got < share-most || got > share+most {
			t.Errorf("%s has %.3f of plain samples, want %.1f", f, got, share)
		}
	}
}
