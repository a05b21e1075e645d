package curl

import (
	"os/exec"
	"strings"
	"testing"
)

// TestConfig is read by curl as it is meant: each value is one, whatever it has.
func TestConfig(t *testing.T) {
	var c Config
	c.Flag("silent", "show-error")
	odd := `a "b" \c # é = '` + "\td"
	c.Option("write-out", odd+"\n")
	if want := "silent\nshow-error\nwrite-out = \"a \\\"b\\\" \\\\c # é = '\\td\\n\"\n"; c.String() != want {
		t.Errorf("%q, want %q", c.String(), want)
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("needs curl")
	}
	c.Option("url", "file:///dev/null")
	cmd := exec.Command("curl", "--disable", "--config", "-")
	cmd.Stdin = strings.NewReader(c.String())
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != odd+"\n" {
		t.Errorf("%q, %v", out, err)
	}
}
