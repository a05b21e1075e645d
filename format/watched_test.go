package format

import (
	"testing"
	"time"

	"stacksnap/format/profile/hang"
)

func TestWatched(t *testing.T) {
	tests := []struct {
		elapsed time.Duration
		options hang.Options
		made    map[hang.Reason]int
		want    string
	}{
		{1234567 * time.Microsecond, hang.Options{Threshold: time.Second}, nil, "1.2s: no hang of 1s or more"},
		{90*time.Second + time.Millisecond, hang.Options{Threshold: time.Second, Every: time.Minute},
			map[hang.Reason]int{hang.Hang: 1, hang.Periodic: 1200}, "1m30s: 1 hang of 1s or more, 1,200 periodic reports"},
		{1500 * time.Microsecond, hang.Options{Every: time.Minute}, nil, "2ms: no periodic report"},
	}
	for _, test := range tests {
		if got := Watched(test.elapsed, &test.options, test.made); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
