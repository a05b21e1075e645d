package family

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"stacksnap/format/profile"
)

// TestErrorsOfMembersAreNotes: what went wrong with a process that another one
// started does not make the whole fail.
func TestErrorsOfMembersAreNotes(t *testing.T) {
	broken := errors.New("not permitted to read it")
	f := family{roots: map[int]bool{1: true}, descend: true, atOnce: maxAtOnce, members: []*member{
		{pid: 1, profiles: []*profile.Profile{{}}}, {pid: 2, err: broken}, {pid: 3, profiles: []*profile.Profile{{}}},
	}}
	profiles, _, err := f.results()
	if err != nil || len(profiles) != 2 {
		t.Fatalf("%d profiles, %v", len(profiles), err)
	}
	if n := profiles[0].Notes; !slices.ContainsFunc(n, func(n string) bool { return strings.Contains(n, "pid 2") && strings.Contains(n, broken.Error()) }) {
		t.Errorf("notes %q", n)
	}
	f.members[0].err = broken
	if _, lost, _ := f.results(); len(lost) != 1 || !errors.Is(lost[0].Err, broken) {
		t.Errorf("of the root: %v", lost)
	}
	for range 3 * maxNotes {
		f.members = append(f.members, &member{pid: 9, err: broken})
	}
	f.members[0].profiles = []*profile.Profile{{}}
	if profiles, _, _ = f.results(); len(profiles[0].Notes) != maxNotes+1 {
		t.Errorf("%d notes", len(profiles[0].Notes))
	}
}

// TestProcessesThatAreMissing are counted beside those of which there is a report.
func TestProcessesThatAreMissing(t *testing.T) {
	f := family{roots: map[int]bool{1: true}, descend: true, atOnce: maxAtOnce, members: []*member{
		{pid: 1, profiles: []*profile.Profile{{}}}, {pid: 2, err: errors.New("not permitted")}, {pid: 3},
		{pid: 4, profiles: []*profile.Profile{{}, {}}}, {pid: 5}, {pid: 6},
	}}
	profiles, _, err := f.results()
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(profiles[0].Notes, "\n")
	for _, want := range []string{"recorded: 1", "before they could be captured: 3"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
}
