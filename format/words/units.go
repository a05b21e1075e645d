package words

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"stacksnap/task"
)

// timeLayout is the layout of times in Apple's reports.
const timeLayout = "2006-01-02 15:04:05.000 -0700"

// Count formats n with commas at the thousands.
func Count(n int) string {
	s := strconv.Itoa(n)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural returns n with its noun, in the plural unless n is 1.
func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + one + "s"
}

// Duration formats d to about three digits in a suitable unit.
func Duration(d time.Duration) string {
	switch {
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d.Nanoseconds())
	case d < 10*time.Microsecond:
		return fmt.Sprintf("%.1f µs", float64(d)/float64(time.Microsecond))
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
}

// Seconds formats a CPU time.
func Seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }

// Share formats part as percent of whole.
func Share(part, whole float64) string {
	if whole <= 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.2f %%", 100*part/whole)
}

// ThreadID formats a thread's id as the system's own tools do: in decimal on Linux, where
// it is a number like a pid (ps -L, gdb), in hexadecimal on Darwin (spindump).
func ThreadID(os task.OS, id task.ThreadID) string {
	if os == task.Darwin {
		return fmt.Sprintf("0x%x", uint64(id))
	}
	return strconv.FormatUint(uint64(id), 10)
}

// ImageID formats a Mach-O UUID as Apple's tools do, in upper case and groups, and a
// build-id as readelf does.
func ImageID(os task.OS, id []byte) string {
	if os != task.Darwin || len(id) != 16 {
		return hex.EncodeToString(id[:min(len(id), 64)])
	}
	s := strings.ToUpper(hex.EncodeToString(id))
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
