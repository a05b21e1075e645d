package report

import (
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// Origin is what is known of the source of profiles beside the profiles themselves. Formats
// for servers include it.
type Origin struct {
	Host string // name of the machine that the processes run on; empty: unknown
	// Service is the name of the service. If it is empty, the systemd unit or the name of
	// the process takes its place.
	Service    string
	Attributes []Attribute // attributes that the user gave; they override those derived from the process
}

// Attribute is a key with a text.
type Attribute struct{ Key, Value string }

// Systemd is the manager whose groups are units rather than containers.
const Systemd = "systemd"

// ServiceName returns the service that a process belongs to: the one the user named, or
// else its systemd unit without the suffix, or else its name.
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
