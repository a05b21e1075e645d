package counts

import (
	"bytes"
	"maps"
	"testing"

	pprof "github.com/google/pprof/profile"
)

func ParsedBytes(t *testing.T, report []byte) *pprof.Profile {
	t.Helper()
	got, err := pprof.Parse(bytes.NewReader(report))
	if err != nil {
		t.Fatal(err)
	}
	if err := got.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return got
}

// OfPprof returns the number of samples of each function in a pprof profile.
func OfPprof(p *pprof.Profile) Counts {
	c := Counts{}
	for _, s := range p.Sample {
		on := map[string]bool{}
		for _, l := range s.Location {
			for _, line := range l.Line {
				on[line.Function.Name] = true
			}
		}
		c.Add(s.Location[0].Line[0].Function.Name, on, s.Value[0])
	}
	maps.DeleteFunc(c, func(_ string, n [2]int64) bool { return n[1] == 0 })
	return c
}
