// Package origin is where profiles come from, as formats that are sent elsewhere have it.
package origin

import (
	"stacksnap/format/profile/hangreport"
)

// Origin is what is known of where profiles come from besides what they say, for
// OpenTelemetry's resources.
type Origin struct {
	Host string // the name of the machine that the processes run on; empty: not known
	// Service is what the processes do, which otherwise is told by their unit of systemd
	// or their name.
	Service    string
	Attributes []Attribute // further ones, which go before those that are found out
	Hang       *hangreport.Report
}

// Attribute is a name with a text.
type Attribute struct{ Key, Value string }
