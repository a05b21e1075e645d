package words

import (
	"strings"

	"stacksnap/format/origin"
	"stacksnap/format/profile"
)

// Systemd is the manager whose groups are units, not containers.
const Systemd = "systemd"

// ServiceName is what a process is for: as it was told, else its unit of systemd without
// the suffix, else its name.
func ServiceName(p *profile.Profile, o *origin.Origin) string {
	if o.Service != "" {
		return Clean(o.Service, MaxText)
	}
	for _, a := range o.Attributes {
		if a.Key == "service.name" && a.Value != "" {
			return Clean(a.Value, MaxText)
		}
	}
	if g := p.Target.Group; g != nil && g.Manager == Systemd {
		if unit, ok := strings.CutSuffix(g.ID, ".service"); ok {
			return Clean(unit, MaxText)
		}
	}
	return Clean(p.Target.Name, MaxText)
}
