package cli

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestInstallerHasEveryPage: scripts/install.sh lists each man page and completion script
// that the program writes, and the place of a man page follows from its title.
func TestInstallerHasEveryPage(t *testing.T) {
	script, err := os.ReadFile("../../../scripts/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+) (share/\S+)$`).FindAllStringSubmatch(string(script), -1) {
		listed[m[1]] = m[2]
	}
	all := slices.DeleteFunc(topics(), func(topic string) bool { return topic == "all" })
	for _, topic := range all {
		text := (&HelpError{topic: topic}).Made("0")
		place, ok := listed[topic]
		if page := manPlace(text); !ok || page != "" && place != page {
			t.Errorf("--help %s is listed for %q, want %q", topic, place, page)
		}
	}
	if len(listed) != len(all) {
		t.Errorf("listed: %v, made: %q", listed, all)
	}
}

// manPlace returns the place of a man page by its title, empty for another text.
func manPlace(text string) string {
	m := regexp.MustCompile(`^\.TH (\S+) (\d) `).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return fmt.Sprintf("share/man/man%[2]s/%[1]s.%[2]s", strings.ToLower(strings.ReplaceAll(m[1], `\`, "")), m[2])
}
