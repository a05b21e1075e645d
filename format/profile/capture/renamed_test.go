package capture

import (
	"context"
	"testing"
	"time"

	"stacksnap/format/profile"
)

// TestNameOfAProcessThatWasOpenedDuringExec: it had the name of the program before then.
func TestNameOfAProcessThatWasOpenedDuringExec(t *testing.T) {
	for name, take := range map[string]func(*macLike) (*profile.Profile, error){
		"one-shot": func(p *macLike) (*profile.Profile, error) { return OneShot(p, Options{}) },
		"sampled": func(p *macLike) (*profile.Profile, error) {
			return Record(context.Background(), p, Options{Interval: time.Microsecond, Count: 2})
		},
		"late": func(p *macLike) (*profile.Profile, error) {
			p.becomes = ""
			return Record(context.Background(), p, Options{
				Interval: time.Microsecond, Count: 20, Added: func(*Added) { p.becomes = "make" },
			})
		},
		"in a series": func(p *macLike) (*profile.Profile, error) {
			s, err := NewSeries(p, Options{})
			if err != nil {
				return nil, err
			}
			s.Begin()
			err = s.Take(nil)
			return s.Profile(), err
		},
	} {
		p := newMacLike()
		p.info.Name, p.becomes = "sh", "make"
		made, err := take(p)
		if err != nil || made.Target.Name != "make" {
			t.Errorf("%s: %+v, %v", name, made, err)
		}
	}
}
