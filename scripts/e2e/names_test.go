//go:build linux

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// names of a stack, from the innermost frame out: as they are shown, and as the
// files have them.
type names struct{ shown, raw []string }

// TestNamesThatPeopleKnow: a report has those, short ones; json the whole ones and
// those of the files; folded stacks whole ones. A recording tells the same.
func TestNamesThatPeopleKnow(t *testing.T) {
	const visit = "void ns::visit<std::vector<std::__cxx11::basic_string<char, "
	cmd := start(t, compile(t, "names", "-O1"))
	blocksInRead(t, pid(cmd))
	file := filepath.Join(t.TempDir(), "it.snap")
	live := snap(t, "-p", pid(cmd), "--save", file)
	if live.code != exitOK {
		t.Fatal(live.err)
	}
	for _, want := range []string{"read + ", "wait_for_input + ", "void ns::visit<std::vector<std::__cxx11::basic_string<…>, std::allocator<…> > >(…) + ", "main + "} {
		if !strings.Contains(live.out, "  "+want) {
			t.Errorf("no frame %q in\n%s", want, live.out)
		}
	}
	if again := snap(t, file); again.out != live.out {
		t.Errorf("live:\n%s\nthe recording:\n%s", live.out, again.out)
	}
	for _, from := range [][]string{{"-p", pid(cmd)}, {file}} {
		got := namesIn(t, snap(t, append(from, "-f", "json")...).out)
		if len(got.shown) < 4 || got.shown[0] != "read" || got.shown[1] != "wait_for_input" || !strings.HasPrefix(got.shown[2], visit) || got.shown[3] != "main" {
			t.Errorf("json of %q shows %q", from, got.shown)
		} else if got.raw[1] != "wait_for_input.part.0" || !strings.HasPrefix(got.raw[2], "_ZN2ns5visit") {
			t.Errorf("json of %q has the symbols %q", from, got.raw)
		}
		folded := snap(t, append(from, "-f", "folded")...).out
		if !strings.Contains(folded, ";main;"+visit) || !strings.HasSuffix(folded, ";wait_for_input;read 1\n") {
			t.Errorf("folded stacks of %q:\n%s", from, folded)
		}
	}
}

func namesIn(t *testing.T, document string) names {
	t.Helper()
	var d struct {
		Threads []struct {
			Nodes []struct{ Function, Symbol string }
		}
	}
	if err := json.Unmarshal([]byte(document), &d); err != nil || len(d.Threads) != 1 {
		t.Fatalf("%v in %s", err, document)
	}
	var n names
	for _, node := range d.Threads[0].Nodes {
		n.shown = append([]string{node.Function}, n.shown...)
		n.raw = append([]string{node.Symbol}, n.raw...)
	}
	return n
}
