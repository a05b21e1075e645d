package apple

import (
	"fmt"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// Limits of what is kept of a report.
const (
	maxBranches = 1 << 20
	maxSamples  = 1 << 40
)

// limits counts what the processes of one report share.
type limits struct {
	texts   texts
	nodes   int
	images  int
	moments int  // samples in timelines
	full    bool // a limit was reached
}

func newLimits() *limits { return &limits{texts: texts{kept: map[string]string{}}} }

// processReader collects what a report has about one process.
type processReader struct {
	*limits
	profile *profile.Profile
	named   map[string]*profile.Image // by the name that frames use
	listed  []*profile.Image
	main    *profile.Image // facts from the header
	thread  *profile.Thread
	path    []*profile.Node // from the outermost frame to the last one that was read

	unread int  // lines of the call graph that could not be read
	whole  bool // the end of the call graph was reached
}

func newProcessReader(l *limits) processReader {
	return processReader{
		limits: l, profile: &profile.Profile{Target: task.Info{OS: task.Darwin}},
		main: &profile.Image{Main: true}, named: map[string]*profile.Image{},
	}
}

// keep keeps a copy of a text. It reports false if the limit of all texts is reached.
func (r *processReader) keep(s string) (string, bool) {
	kept, ok := r.texts.of(s)
	if !ok {
		r.full = true
	}
	return kept, ok
}

// imageOf returns a placeholder for the image that a frame names, for use until the
// list of images is read.
func (r *processReader) imageOf(l *label) *profile.Image {
	if l.image == "" || l.image == unknownBinary {
		return nil
	}
	im := r.named[l.image]
	if im == nil {
		name, ok := r.keep(l.image)
		if !ok || len(r.named) == notation.MaxImages {
			r.full = true
			return nil
		}
		im = &profile.Image{Path: name}
		r.named[name] = im
	}
	if l.hasLoad && im.Load == 0 {
		im.Load = l.load
	}
	return im
}

// image reads a line of the list of images.
func (r *processReader) image(line string) {
	line, ok := r.keep(line)
	if im, read := notation.ParseImage(line); ok && read {
		r.list(im)
	}
}

// list adds an image of the list.
func (r *processReader) list(im *profile.Image) {
	if r.images++; r.images > notation.MaxImages {
		r.full = true
		return
	}
	r.listed = append(r.listed, im)
}

// note adds a note to the profile.
func (r *processReader) note(format string, args ...any) {
	r.profile.Notes = append(r.profile.Notes, fmt.Sprintf(format, args...))
}
