package apple

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// heaviest writes the stack of the main thread that has the most samples at each
// level.
func (s *spinWriter) heaviest(p *profile.Profile) {
	t := p.MainThread()
	if t == nil || len(t.Roots) == 0 {
		return
	}
	s.Line("")
	s.Line("Heaviest stack for the main thread of the target process:")
	width := digits(t.Samples)
	for b := heavierOf(growEach(t).roots); b != nil; b = heavierOf(b.children) {
		s.frame(b.inKernel(), b.count, 0, width, b.spinLabel().String())
	}
	s.Line("")
}

// heavierOf returns the first of sorted siblings, nil if there are none.
func heavierOf(siblings []*branch) *branch {
	if len(siblings) == 0 {
		return nil
	}
	return siblings[0]
}

func digits(n int) int { return len(strconv.Itoa(n)) }

// heavy writes the call tree of a thread.
func (s *spinWriter) heavy(p *profile.Profile, t *profile.Thread) {
	f := growEach(t)
	if spinRestOf(p) != nil {
		f.countRan(t)
	}
	s.branches(f.roots, 0, digits(t.Samples))
}

// countRan finds the leaves in which the thread ran, according to the report that was
// opened.
func (f *forest) countRan(t *profile.Thread) {
	path := []*branch{nil}
	for depth, n := range t.Nodes() {
		path = path[:min(depth+1, len(path))]
		b := f.index[edge{path[depth], spinPlace(n)}]
		if path = append(path, b); b != nil && n.States != nil && len(n.Children) == 0 {
			b.ran += n.States[task.Running]
		}
	}
}

func (s *spinWriter) branches(siblings []*branch, depth, width int) {
	for _, b := range siblings {
		if b.count == 0 {
			continue
		}
		label := b.spinLabel().String()
		if ran := min(b.ran, b.count); ran > 0 && len(b.children) == 0 {
			s.frame(b.inKernel(), ran, depth, width, label+" ("+runningState+")")
			b.count -= ran
		}
		if b.count > 0 {
			s.frame(b.inKernel(), b.count, depth, width, label)
		}
		s.branches(b.children, depth+1, width)
	}
}

// frame writes a line of a tree. For a frame in the kernel, an asterisk replaces the
// last blank before it.
func (s *spinWriter) frame(kernel bool, count, depth, width int, label string) {
	indent := strings.Repeat("  ", depth+1)
	if kernel {
		indent = indent[1:] + "*"
	}
	s.Line("%s%-*d  %s", indent, width, count, label)
}

func (p *place) inKernel() bool { return p.kernel || inKernel(p.pc) }

// growEach makes the branches of a thread, with one branch for each address.
func growEach(t *profile.Thread) *forest {
	cut := func(*profile.Cut) place { return place{function: spinTruncated} }
	return growBy(t, cut, func(f *forest, above *branch, n *profile.Node) *branch {
		return f.branch(above, spinPlace(n), n.Count)
	})
}

// spinPlace returns the place of a node. Each address is a place of its own.
func spinPlace(n *profile.Node) place {
	p := placeOf(n, false)
	p.column = n.Column
	return p
}

// spinLabel returns the text for a place. An asterisk before the line marks frames in
// the kernel.
func (p *place) spinLabel() spinLabel {
	unmarked := *p
	unmarked.kernel = false
	l := spinLabel{symbol: unmarked.symbol(), pc: p.pc}
	if p.function != "" && p.pc == 0 && p.image == nil { // a text, not a place
		l.bare = true
		return l
	}
	l.offset, l.hasOffset = p.offset, p.function != "" && p.function != profile.Trampoline && !p.inlined
	if p.image == nil {
		return l
	}
	l.image = spinImageName(p.image)
	if p.image.Placed() && p.pc >= p.image.Load {
		l.inImage, l.hasPlace = uint64(p.pc-p.image.Load), true
	}
	l.file, l.line, l.column = notation.SourceFile(p.file), p.line, p.column
	return l
}

// spinImageName returns the name of an image in frames: its file name, or else its
// UUID.
func spinImageName(im *profile.Image) string {
	if name := im.Name(); name != "" {
		return notation.Plain(name)
	}
	return "<" + notation.ImageID(task.Darwin, im.ID) + ">"
}

// images lists the files with frames in them. An asterisk marks those of the kernel.
func (s *spinWriter) images(p *profile.Profile) {
	var listed []*profile.Image
	width := 0
	for _, im := range p.Images {
		if im.Placed() {
			listed = append(listed, im)
			width = max(width, len(spinVersions(im)))
		}
	}
	if len(listed) == 0 {
		return
	}
	s.Line("  %s", notation.BinaryImages)
	slices.SortStableFunc(listed, notation.ByAddress)
	for _, im := range listed {
		s.Line("%s", spinImageLine(p.Target.OS, im, min(width, maxNameColumn)))
	}
	s.Line("")
}

// maxNameColumn limits the column to which shorter names are padded.
const maxNameColumn = 120

func spinImageLine(os task.OS, im *profile.Image, width int) string {
	start, end := im.Load.String(), max(im.Load, im.End-1).String()
	if inKernel(im.Load) {
		start = "*" + start
	}
	if im.Note == notation.NoEnd {
		end = notation.Unknown
	}
	path := notation.Plain(im.Path)
	if !strings.HasPrefix(path, "/") { // a name, not a path
		path = ""
	}
	line := fmt.Sprintf("%22s - %18s  %-*s <%s>  %s", start, end, width, spinVersions(im), notation.ImageID(os, im.ID), path)
	return strings.TrimRight(line, " ")
}

// spinVersions returns the identifier or file name of an image, with the versions
// that are known.
func spinVersions(im *profile.Image) string {
	name := cmp.Or(notation.Plain(im.Bundle.ID), notation.Plain(im.Name()), notation.Unknown)
	if strings.HasPrefix(name, "<") { // a UUID
		name = notation.Unknown
	}
	if v := im.Bundle.Version; v != "" && im.Bundle.Build == "" {
		return name + " (" + notation.Plain(v) + ")"
	} else if v != "" {
		name += " " + notation.Plain(v)
	}
	if im.Bundle.Build != "" {
		name += " (" + notation.Plain(im.Bundle.Build) + ")"
	}
	return name
}
