package command

import (
	"regexp"
	"strconv"
	"testing"

	"stacksnap/format/command/manual"
)

// TestManualHasExitCodes as the program has them.
func TestManualHasExitCodes(t *testing.T) {
	text := ""
	for _, topic := range manual.Topics() {
		if topic.Name == "exit" {
			text = topic.Text()
		}
	}
	for code, want := range map[int]string{
		exitOK: "fine", exitFailure: "anything", exitUsage: "called wrongly", exitNoProcess: "no such process", exitNotPermitted: "not permitted", exitTargetExited: "the process exited",
	} {
		if !regexp.MustCompile(`(?m)^    ` + strconv.Itoa(code) + `   ` + want).MatchString(text) {
			t.Errorf("exit does not say that %d is %s", code, want)
		}
	}
}
