package ptrace

import (
	"strconv"
	"strings"
)

// cpusListed counts the processors of a list such as "0-3,8\n" (cpulist_parse,
// lib/bitmap-str.c); 0 where it is none.
func cpusListed(list string) int {
	const most = 1 << 20
	n := 0
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, lastErr := strconv.Atoi(last)
		if err != nil || lastErr != nil || from < 0 || to < from || to-from >= most {
			return 0
		}
		n += to - from + 1
	}
	return n
}
