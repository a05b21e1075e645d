package words

import (
	"testing"

	"stacksnap/format/profile"
)

// TestMostlyIn names own code, whatever library it calls, where a thread was there in half of its
// samples.
func TestMostlyIn(t *testing.T) {
	im, lib := &profile.Image{Path: "/srv/shop", Main: true}, &profile.Image{Path: "/lib/libc.so.6"}
	node := func(in *profile.Image, name string, self int, children ...*profile.Node) *profile.Node {
		return &profile.Node{Location: profile.Location{Image: in, Function: name, File: "/src/shop.c", Line: 7}, Self: self, Children: children}
	}
	for want, root := range map[string]*profile.Node{
		"in load (shop.c:7)":                        node(im, "load", 0, node(lib, "fread", 40, node(lib, "read", 60))),
		"in load (shop.c:7) in 90 % of its samples": node(im, "main", 10, node(im, "load", 30, node(lib, "read", 60))),
		"":  node(im, "main", 40, node(im, "load", 40), node(im, "save", 20)),
		" ": node(lib, "poll", 100),
	} {
		th := &profile.Thread{Samples: 100, Roots: []*profile.Node{root}}
		if got := (&Printer{Profile: &profile.Profile{}, short: true}).MostlyIn(th); got != want && want != " " || want == " " && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
