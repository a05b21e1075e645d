package output

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	var nowhere Progress
	nowhere.Show(time.Second, 1)
	nowhere.Clear()
	var terminal bytes.Buffer
	p := Progress{To: &terminal, Whole: 10 * time.Second}
	p.Clear() // nothing to clear
	p.Show(2500*time.Millisecond, 2400)
	p.Clear()
	if got, want := terminal.String(), "\rsampling: 2.5s of 10s, 2400 samples; Ctrl-C ends early \x1b[K\r\x1b[K"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestProgressFitsTheTerminal requires a column to be left in any width.
func TestProgressFitsTheTerminal(t *testing.T) {
	for _, width := range []int{0, 1, 2, 40, 56, 57, 58, 200} {
		var terminal bytes.Buffer
		p := Progress{To: &terminal, Width: func() int { return width }}
		p.Show(2500*time.Millisecond, 2400)
		line := strings.TrimSuffix(strings.TrimPrefix(terminal.String(), "\r"), "\x1b[K")
		whole := "sampling: 2.5s, 2400 samples; Ctrl-C ends early "
		want := whole
		if width > 0 {
			want = whole[:min(len(whole), width-1)]
		}
		if line != want {
			t.Errorf("%d columns: %q, want %q", width, line, want)
		}
	}
}
