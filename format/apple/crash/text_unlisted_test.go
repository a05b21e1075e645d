package crash

import "testing"

// TestPlaceUnlisted: the begin of an image that other frames have holds for a frame from
// there on, and for none below.
func TestPlaceUnlisted(t *testing.T) {
	const base = 0x1000
	for at, want := range map[uint64]ipsImage{
		base - 1: {Name: "it"},
		base:     {Name: "it", Base: base},
		base + 1: {Name: "it", Base: base},
	} {
		r := newTextReader()
		r.bases["it"] = base
		f := ipsFrame{image: "it", Offset: at}
		r.placeUnlisted(&f)
		images := r.ips.report.Images
		if len(images) != 1 || images[0] != want || f.Image != 0 || f.Offset != at-want.Base {
			t.Errorf("%#x: %+v, %+v", at, images, f)
		}
	}
}
