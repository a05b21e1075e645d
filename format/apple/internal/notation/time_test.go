package notation

import (
	"testing"
	"time"
)

func TestMoments(t *testing.T) {
	want := time.Date(2017, 8, 18, 13, 1, 20, 152_000_000, time.FixedZone("", 9*3600))
	for _, text := range []string{
		"2017-08-18 13:01:20.152 +0900", "2017-08-18 1:01:20.152 p +0900", "2017-08-18 01:01:20.152 PM +0900", "2017-08-18 1:01:20.152\u202fpm +0900", "2017-08-18T04:01:20.152Z",
	} {
		if got := ParseMoment(text); !got.Equal(want) {
			t.Errorf("%q is %v", text, got)
		}
	}
	if got := ParseMoment("2017-08-18 1:01:20.152 a +0900"); !got.Equal(want.Add(-12 * time.Hour)) {
		t.Errorf("in the morning: %v", got)
	}
	if got := ParseMoment("2017-08-18 1:01:20.152 x +0900"); !got.IsZero() {
		t.Errorf("of no form: %v", got)
	}
}
