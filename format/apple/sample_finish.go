package apple

import (
	"bytes"
	"cmp"
	"path"
	"slices"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// finish completes the profile.
func (r *sampleReader) finish() *profile.Profile {
	p := r.profile
	for _, t := range p.Threads {
		p.Snapshots = max(p.Snapshots, t.Samples)
		if p.Target.OS == task.Linux {
			t.Main = uint64(t.ID) == uint64(p.Target.PID)
		}
	}
	if p.Snapshots <= 1 {
		p.Interval = 0
	}
	r.complete()
	if r.others {
		r.note("further reports follow in the file: only the first is shown")
	}
	return p
}

// complete counts samples, assigns frames to images, and adds notes.
func (r *processReader) complete() {
	r.endPath()
	for _, t := range r.profile.Threads {
		r.count(t)
	}
	r.findMain()
	r.placeImages()
	r.notes()
}

// endPath adds a node for the callees that are missing from a truncated report, so
// that their samples are not counted as the callers' own.
func (r *processReader) endPath() {
	if r.whole || r.thread == nil {
		return
	}
	for _, n := range r.path {
		if len(n.Also) == 0 { // it has called others, or may have
			n.Children = append(n.Children, missing(n.Count, n.Children)...)
		}
	}
	r.thread.Roots = append(r.thread.Roots, missing(r.thread.Samples, r.thread.Roots)...)
}

// missing returns a node with the samples that below lacks, nil if it lacks none.
func missing(samples int, below []*profile.Node) []*profile.Node {
	if samples -= sum(below); samples <= 0 {
		return nil
	}
	return []*profile.Node{{Location: profile.Location{Function: profile.Further}, By: unwind.ByReport, Count: samples}}
}

func sum(nodes []*profile.Node) (samples int) {
	for _, n := range nodes {
		samples += n.Count
	}
	return samples
}

// count computes in how many samples each frame was innermost.
func (r *processReader) count(t *profile.Thread) {
	for _, n := range t.Nodes() {
		n.Self = max(0, n.Count-sum(n.Children))
		r.profile.Frames += n.Count
	}
	if t.Empty = max(0, t.Samples-sum(t.Roots)); t.Empty > 0 {
		t.Err = "the report has no frame of it"
	}
}

// findMain finds the main image in the list, and completes it from the header.
func (r *processReader) findMain() {
	t := &r.profile.Target
	r.main.Path = t.Path
	if r.main.Path == "" {
		r.main.Path = t.Name
	}
	for _, im := range r.listed {
		byPath := im.Path == t.Path && t.Path != "" || im.ID != nil && bytes.Equal(im.ID, r.main.ID)
		if im.Load == r.main.Load && im.Load != 0 || r.main.Load == 0 && byPath {
			im.Main, im.Variant = true, r.main.Variant
			r.profile.Main = im
			return
		}
	}
	if r.main.Load != 0 {
		if r.main.Bundle.ID == r.main.Name() {
			r.main.Bundle.ID = ""
		}
		r.profile.Main = r.main
	}
}

// imagesByName has the images of a report by the names that frames use. Each list is
// sorted by address.
type imagesByName map[string][]*profile.Image

// placeImages assigns each frame to the image that contains it.
func (r *processReader) placeImages() {
	byName := r.listImages()
	named := map[*profile.Image]bool{} // whether any frame in it has a name
	for _, t := range r.profile.Threads {
		for _, n := range t.Nodes() {
			if n.Image == nil {
				continue
			}
			if list := byName[path.Base(n.Image.Path)]; list != nil {
				n.Image = imageAt(n, list)
			} else if n.Image.Load != 0 {
				n.Image.End = max(n.Image.End, n.PC+1) // its end is unknown, but above this frame
			}
			named[n.Image] = named[n.Image] || n.Function != ""
		}
	}
	for im, symbols := range named {
		im.Symbols = symbols
	}
}

// listImages makes the profile's list of images: those that the report lists, and
// those that only frames name.
func (r *processReader) listImages() imagesByName {
	p, byName := r.profile, imagesByName{}
	p.Images = r.listed
	for _, im := range r.listed {
		im.Arch, im.Symbols = p.Target.Arch, true
		byName[im.Name()] = append(byName[im.Name()], im)
	}
	for _, list := range byName {
		slices.SortStableFunc(list, notation.ByAddress)
	}
	for _, im := range r.named {
		r.nameMain(im)
		if byName[path.Base(im.Path)] == nil {
			im.Arch = p.Target.Arch
			p.Images = append(p.Images, im)
		}
	}
	slices.SortStableFunc(p.Images, notation.ByAddress)
	return byName
}

// nameMain completes the program's image from the header if the report does not list
// the image.
func (r *processReader) nameMain(im *profile.Image) {
	if r.profile.Main == r.main && im.Path == r.main.Name() {
		load := im.Load
		*im = *r.main
		im.Load = cmp.Or(load, im.Load)
		r.profile.Main = im
	}
}

// imageAt returns the image that contains a frame, among several with the same name.
// It returns the first if none contains the frame.
func imageAt(n *profile.Node, candidates []*profile.Image) *profile.Image {
	if im := notation.ImageAt(candidates, n.PC); im != nil {
		return im
	}
	return candidates[0]
}

// notes adds notes on missing parts.
func (r *processReader) notes() {
	switch {
	case !r.whole:
		r.note("the report ends within its call graph: what comes behind is not known")
	case len(r.listed) == 0 && len(r.profile.Threads) > 0:
		r.note("the report has no list of images: where they are is not known")
	}
	if r.unread > 0 {
		r.note("lines of the call graph that could not be read: %d", r.unread)
	}
	if r.full {
		r.note("the report is too large: a part of it was left out")
	}
}
