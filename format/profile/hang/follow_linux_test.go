package hang

import (
	"errors"
	"slices"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/hangreport"
)

// TestLiveFollows watches a program that hangs for want of what another process has: the
// report has the stacks of that one, as it was meanwhile.
func TestLiveFollows(t *testing.T) {
	for turn, act := range map[string]profile.Action{"pipe": profile.Write, "shared": profile.Release} {
		t.Run(turn, func(t *testing.T) {
			t.Parallel() // it sleeps most of the time
			turns := slices.Repeat([]string{"idle:700", turn + ":4000"}, 20)
			o := Options{Threshold: threshold, Tool: "test", Follow: &capture.Options{Tool: "test"}}
			seen := errors.New("it was followed")
			err := watchLive(t.Context(), t, start(t, turns...), o, func(r *hangreport.Report) error {
				if len(r.Followed.Profiles) == 0 {
					t.Log(describe(r))
					return nil
				}
				checkFollowed(t, r, act)
				return seen
			})
			if !errors.Is(err, seen) {
				t.Fatal("no report has the other process:", err)
			}
		})
	}
}

func checkFollowed(t *testing.T, r *hangreport.Report, act profile.Action) {
	t.Helper()
	f := &r.Followed
	other := f.Profiles[0]
	if len(f.Profiles) != 1 || other.Target.Name != "giver" || !standsIn(other, "nap") || len(f.Deadlocks) != 0 {
		t.Errorf("%s [%d] and %d more", other.Target.Name, other.Target.PID, len(f.Profiles)-1)
	}
	if len(f.Chain) == 0 || f.Chain[0].ID != r.Thread || f.Chain[0].Wait.Peer.PID != other.Target.PID || f.Chain[0].Wait.Peer.Action != act {
		t.Errorf("%+v", f.Chain)
	}
	if other.Start.Before(r.Start) || other.Start.After(r.Start.Add(r.Duration)) {
		t.Errorf("captured at %v, the hang was from %v for %v", other.Start, r.Start, r.Duration)
	}
}

// standsIn reports whether a function is on any stack.
func standsIn(p *profile.Profile, function string) bool {
	for _, t := range p.Threads {
		for _, n := range t.Nodes() {
			if n.Function == function {
				return true
			}
		}
	}
	return false
}

// TestLiveFollowsNobody where that is not wanted.
func TestLiveFollowsNobody(t *testing.T) {
	t.Parallel()
	turns := slices.Repeat([]string{"idle:700", "pipe:2000"}, 20)
	seen := errors.New("there was a report")
	err := watchLive(t.Context(), t, start(t, turns...), Options{Threshold: threshold, Tool: "test"}, func(r *hangreport.Report) error {
		if f := &r.Followed; len(f.Profiles)+len(f.Chain)+len(f.Missing) > 0 {
			t.Errorf("%+v", f)
		}
		return seen
	})
	if !errors.Is(err, seen) {
		t.Error(err)
	}
}
