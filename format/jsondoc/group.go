package jsondoc

import (
	"fmt"
	"io"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// The schema of several processes, as in JSON.md.
const (
	groupSchema  = "stacksnap.group"
	groupVersion = 1
)

type jsonGroup struct {
	Schema    string          `json:"schema"`
	Version   int             `json:"version"`
	Tool      string          `json:"tool"`
	Summary   string          `json:"summary,omitempty"`
	Spread    *int64          `json:"spread_ns,omitempty"`
	Captured  int             `json:"captured"`
	Missing   []jsonMissing   `json:"missing,omitempty"`
	More      int             `json:"more,omitempty"`
	Deadlocks [][]jsonWaiter  `json:"deadlocks,omitempty"`
	Notes     []string        `json:"notes,omitempty"`
	Profiles  []*jsonDocument `json:"processes,omitempty"`
}

type jsonMissing struct {
	PID int    `json:"pid,omitempty"`
	Why string `json:"why"`
}

// writeGroup writes several processes. With an indent, it writes one document that contains
// theirs; without, a line about all of them and then a line for each.
func writeGroup(w io.Writer, g *profile.Group, indent string) error {
	d := newGroup(g)
	if indent != "" {
		for _, p := range g.Profiles {
			d.Profiles = append(d.Profiles, newDocument(p))
		}
		return encode(w, d, indent, g.Profiles...)
	}
	if err := encode(w, d, indent); err != nil {
		return fmt.Errorf("encode group: %w", err)
	}
	for _, p := range g.Profiles {
		if err := writeProfile(w, p, indent); err != nil {
			return err
		}
	}
	return nil
}

// newGroup returns the group's document without the documents of its processes.
func newGroup(g *profile.Group) *jsonGroup {
	d := &jsonGroup{
		Schema: groupSchema, Version: groupVersion, Tool: g.Tool, Summary: words.GroupHeadline(g),
		Captured: len(g.Profiles), More: g.More, Missing: newJSONMissing(g.Missing), Deadlocks: newJSONDeadlocks(g.Deadlocks), Notes: g.Notes,
	}
	if spread, ok := g.Spread(); ok {
		n := int64(spread)
		d.Spread = &n
	}
	return d
}

func newJSONMissing(all []profile.Missing) (list []jsonMissing) {
	for _, m := range all {
		list = append(list, jsonMissing{m.PID, m.Why})
	}
	return list
}
