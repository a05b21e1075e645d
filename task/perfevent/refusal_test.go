package perfevent

import (
	"strings"
	"testing"
)

func TestRemedy(t *testing.T) {
	for _, test := range []struct {
		c    circumstances
		want string
	}{
		{circumstances{kind: notAllowed, paranoid: 2}, "run as root (or with CAP_PERFMON)"},
		{circumstances{kind: notAllowed, paranoid: 3}, "run as root, or run sysctl kernel.perf_event_paranoid=2"},
		{circumstances{kind: notAllowed, paranoid: 4, root: true}, "docker run --cap-add=PERFMON"},
		{circumstances{kind: noMemory, paranoid: 4}, "kernel.perf_event_mlock_kb"},
		{circumstances{kind: noFiles}, "ulimit -n"},
		{circumstances{paranoid: 4}, ""},
	} {
		if got := test.c.remedy(); !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%+v: %q", test.c, got)
		}
	}
	if got := (circumstances{paranoid: 2}).partly(); !strings.Contains(got, "perf_event_paranoid is 2") || !strings.Contains(got, "=1") {
		t.Error(got)
	}
}
