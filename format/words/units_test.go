package words

import (
	"strings"
	"testing"
	"time"

	"stacksnap/task"
)

func TestUnits(t *testing.T) {
	for got, want := range map[string]string{
		Count(0): "0", Count(999): "999", Count(1000): "1,000", Count(-1234567): "-1,234,567",
		Plural(1, "thread"): "1 thread", Plural(2000, "thread"): "2,000 threads",
		Duration(12):                          "12 ns",
		Duration(2500):                        "2.5 µs",
		Duration(212 * time.Microsecond):      "212 µs",
		Duration(9800 * time.Microsecond):     "9.8 ms",
		Duration(250 * time.Millisecond):      "250 ms",
		Duration(10 * time.Second):            "10.00 s",
		Share(98, 100_000):                    "0.10 %",
		Share(1, 0):                           "0 %",
		ThreadID(task.Linux, 26):              "26",
		ThreadID(task.Darwin, 26):             "0x1a",
		ImageID(task.Linux, make([]byte, 16)): strings.Repeat("00", 16),
		ImageID(task.Darwin, make([]byte, 4)): "00000000",
		ImageID(task.Darwin, nil):             "",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
