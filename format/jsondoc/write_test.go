package jsondoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// The nodes give every stack back: each node's depth and parent agree, and its
// samples are those of its children and its own.
func TestJSONNodes(t *testing.T) {
	for kind, p := range fixtures.Profiles {
		var d jsonDocument
		if err := json.Unmarshal(golden.Written(t, WriteLine, p()), &d); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		for _, th := range d.Threads {
			checkNodes(t, fmt.Sprint(kind, " thread ", th.ID), th.Nodes)
		}
	}
}

func checkNodes(t *testing.T, what string, nodes []jsonNode) {
	below := make([]int, len(nodes))
	for i, n := range nodes {
		if n.Parent >= i || (n.Parent < 0) != (n.Depth == 0) || n.Depth > 0 && nodes[n.Parent].Depth != n.Depth-1 {
			t.Errorf("%s: node %d at depth %d has parent %d", what, i, n.Depth, n.Parent)
			return
		}
		if n.Parent >= 0 {
			below[n.Parent] += n.Count
		}
	}
	for i, n := range nodes {
		if n.Count != n.Self+below[i] {
			t.Errorf("%s: node %d: %d samples, %d its own and %d below", what, i, n.Count, n.Self, below[i])
		}
	}
}

func TestJSONLineIsOneLine(t *testing.T) {
	got := golden.Written(t, WriteLine, fixtures.Hostile())
	if bytes.IndexByte(got, '\n') != len(got)-1 {
		t.Error("more than one line")
	}
	var line, indented any
	if err := json.Unmarshal(got, &line); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(golden.Written(t, Write, fixtures.Hostile()), &indented); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(line) != fmt.Sprint(indented) {
		t.Error("the two forms differ")
	}
}

// Names are escaped in JSON without being changed.
func TestJSONKeepsNames(t *testing.T) {
	var d jsonDocument
	if err := json.Unmarshal(golden.Written(t, Write, fixtures.Hostile()), &d); err != nil {
		t.Fatal(err)
	}
	if want := fixtures.Hostile().Threads[0].Name; d.Threads[0].Name != want {
		t.Errorf("got %q, want %q", d.Threads[0].Name, want)
	}
}

// Every key that can occur is described, and so is every word that a key's value
// is chosen from.
func TestJSONIsDescribed(t *testing.T) {
	doc, err := os.ReadFile("JSON.md")
	if err != nil {
		t.Fatal(err)
	}
	words := append(jsonKeys(reflect.TypeFor[jsonDocument]()), jsonKeys(reflect.TypeFor[jsonHang]())...)
	words = append(words, jsonKeys(reflect.TypeFor[jsonGroup]())...)
	for a := range profile.Release {
		words = append(words, (a + 1).String())
	}
	for m := range unwind.ByReport + 1 {
		words = append(words, m.String())
	}
	for r := range unwind.TooDeep {
		words = append(words, (r + 1).String())
	}
	for s := range task.Ended + 1 {
		words = append(words, s.String())
	}
	for _, w := range words {
		if !bytes.Contains(doc, []byte("`"+w+"`")) {
			t.Errorf("JSON.md does not tell of `%s`", w)
		}
	}
}

// jsonKeys lists the keys of a type and of those below it.
func jsonKeys(typ reflect.Type) []string {
	for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[time.Time]() {
		return nil
	}
	var keys []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous {
			keys = append(keys, key)
		}
		keys = append(keys, jsonKeys(f.Type)...)
	}
	return keys
}
