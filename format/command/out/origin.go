package out

import (
	"net/url"
	"os"
	"strings"

	"stacksnap/format/command/cli"
	"stacksnap/format/report"
)

// The variables of OpenTelemetry's SDKs that describe the processes (its specification,
// configuration/sdk-environment-variables.md).
const (
	serviceVariable    = "OTEL_SERVICE_NAME"
	attributesVariable = "OTEL_RESOURCE_ATTRIBUTES"
)

// origin describes where the profiles of this call come from. The host is unknown for a
// file, which another machine may have captured.
func (c *Reporter) origin() report.Origin {
	o := report.Origin{Service: c.Getenv(serviceVariable), Attributes: resourceAttributes(c.Getenv(attributesVariable))}
	if mode := c.Mode(); mode != cli.ModeOpen && mode != cli.ModeDiff {
		o.Host, _ = os.Hostname() // not known otherwise
	}
	return o
}

// resourceAttributes parses "key=value,key=value", with values escaped as in URLs. It skips
// malformed pairs.
func resourceAttributes(text string) (list []report.Attribute) {
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		if plain, err := url.PathUnescape(strings.TrimSpace(value)); ok && err == nil && key != "" {
			list = append(list, report.Attribute{Key: key, Value: plain})
		}
	}
	return list
}
