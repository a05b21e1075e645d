package words

import (
	"testing"
)

// TestLabelsAreQuotedOnce: the label of a queue is in quotation marks already, and is left
// as it is where a shell finds nothing in it.
func TestLabelsAreQuotedOnce(t *testing.T) {
	for given, want := range map[string]string{
		`"com.example.x"`: `"com.example.x"`,
		`"com.example.x" (the target of "it's") (suspended)`: `"com.example.x" (the target of "it's") (suspended)`,
		`"a;b"`:           `"a;b"`,
		`"x" ; evil ; ""`: `"\"x\" ; evil ; \"\""`,
		`"a\b" ; "c"`:     `"\"a\\b\" ; \"c\""`,
		"\"`evil`\"":      "\"\\\"\\`evil\\`\\\"\"",
		`"$(evil)"`:       `"\"\$(evil)\""`,
	} {
		if got := waitedFor(given); got != want {
			t.Errorf("%s becomes %s, want %s", given, got, want)
		}
	}
}
