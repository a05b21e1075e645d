package report

import (
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// Origin is what is known of where profiles come from besides what they say. Formats that
// are sent elsewhere have it.
type Origin struct {
	Host string // the name of the machine that the processes run on; empty: not known
	// Service is what the processes do, which is otherwise taken from their systemd unit
	// or their name.
	Service    string
	Attributes []Attribute // further ones, which go before those that are found out
}

// Attribute is a name with a text.
type Attribute struct{ Key, Value string }

// Systemd is the manager whose groups are units, not containers.
const Systemd = "systemd"

// ServiceName is what a process is for: as it was told, else its unit of systemd without
// the suffix, else its name.
func (o *Origin) ServiceName(p *profile.Profile) string {
	if o.Service != "" {
		return words.Clean(o.Service, words.MaxText)
	}
	for _, a := range o.Attributes {
		if a.Key == "service.name" && a.Value != "" {
			return words.Clean(a.Value, words.MaxText)
		}
	}
	if g := p.Target.Group; g != nil && g.Manager == Systemd {
		if unit, ok := strings.CutSuffix(g.ID, ".service"); ok {
			return words.Clean(unit, words.MaxText)
		}
	}
	return words.Clean(p.Target.Name, words.MaxText)
}
