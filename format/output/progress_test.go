package output

import (
	"bytes"
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
	if got, want := terminal.String(), "\rsampling: 2.5s of 10s, 2400 samples; Ctrl-C ends early \r\x1b[K"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
