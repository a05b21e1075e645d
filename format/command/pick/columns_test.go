package pick

import (
	"fmt"
	"strings"
	"testing"
)

// TestNarrowed: columns go in their order, only as long as there is no room for the
// command line, and those that a table does not have are passed over.
func TestNarrowed(t *testing.T) {
	table := func(headings ...string) (rows [][]string) {
		row := make([]string, len(headings))
		for i, h := range headings {
			row[i] = strings.Repeat("x", len(h))
		}
		return [][]string{headings, row}
	}
	const all = "PID USER PARENT AGE CPU COMMAND"
	for _, tt := range []struct {
		headings string
		columns  int
		want     string
	}{
		// 2 and 5 + 6 + 8 + 5 + 5 stand before the command, of which 20 are left.
		{all, 51, all},
		{all, 50, "PID USER PARENT CPU COMMAND"},
		{all, 46, "PID USER PARENT CPU COMMAND"},
		{all, 45, "PID USER CPU COMMAND"},
		{all, 38, "PID USER CPU COMMAND"},
		{all, 37, "PID USER COMMAND"},
		{all, 33, "PID USER COMMAND"},
		{all, 32, "PID COMMAND"},
		{all, 1, "PID COMMAND"},
		{"PID USER COMMAND", 10, "PID COMMAND"}, // none of the first three
		{"AGE PID COMMAND", 10, "PID COMMAND"},
	} {
		rows := narrowed(table(strings.Fields(tt.headings)...), tt.columns)
		if got := strings.Join(rows[0], " "); got != tt.want || len(rows[1]) != len(rows[0]) {
			t.Errorf("%s in %d columns: %s, rows %s", tt.headings, tt.columns, got, fmt.Sprint(rows[1]))
		}
	}
}
