package crash

import (
	"strconv"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// frame reads a frame. Its Offset is the address until the images are known.
func (r *textReader) frame(line string) {
	m := textForms().frame.FindStringSubmatch(line)
	if m == nil {
		return
	}
	if r.ips.frames++; r.ips.frames > maxIPSFrames {
		r.ips.full = true
		return
	}
	pc, _ := strconv.ParseUint(strings.TrimPrefix(m[3], "0x"), 16, 64) // the regular expression ensures that it is a hexadecimal number
	f := ipsFrame{Offset: pc, image: frameImage(m[1] + m[2])}
	f.place(m[4])
	if r.bare && f.Symbol == f.image && f.Location != nil && *f.Location <= pc {
		f.base, f.Symbol, f.Location = pc-*f.Location, "", nil
	}
	if f.base != 0 {
		r.bases[f.image] = f.base
	}
	*r.frames = append(*r.frames, f)
}

// frameImage returns the image name in a frame. Third-party reporters mark images
// that are not Apple's, and images that they suspect.
func frameImage(name string) string {
	name = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(name), " (*)"))
	return strings.TrimSpace(strings.TrimPrefix(name, "+ "))
}

// place reads the location in a frame: a symbol with an offset, the image's load
// address with an offset, or both, as third-party reporters write it.
func (f *ipsFrame) place(text string) {
	m := textForms().base.FindStringSubmatch(text)
	if m == nil {
		f.symbol(text)
		return
	}
	base, err := strconv.ParseUint(m[1], 0, 64)
	offset, offsetErr := strconv.ParseUint(m[2], 0, 64)
	if err == nil && offsetErr == nil && base+offset == f.Offset {
		f.base = base
	}
	f.symbol(m[3] + m[4])
}

// symbol reads the symbol, offset and source line of a frame, if there are any.
func (f *ipsFrame) symbol(text string) {
	forms := textForms()
	at := forms.offset.FindStringSubmatch(text)
	if at == nil {
		at = forms.source.FindStringSubmatch(text)
	}
	if at == nil {
		at = []string{text, text, "", "", ""}
	}
	if isNumber(at[1]) || at[1] == notation.Unknown {
		return
	}
	f.Symbol, f.Inline = strings.CutSuffix(at[1], notation.InlinedMark)
	f.File = at[3]
	if offset, err := strconv.ParseUint(at[2], 0, 64); err == nil {
		f.Location = &offset
	}
	f.Line, _ = strconv.Atoi(at[4]) // 0: not known
}

// isNumber reports whether s is an address in the place of a symbol.
func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 0, 64)
	return err == nil
}

// image reads a line of the list of images. The image's version follows its name; on
// iOS its architecture does.
func (r *textReader) image(line string) {
	line, _, _ = strings.Cut(line, " {\"") // the package that installed it
	im, ok := notation.ParseImage(line)
	if !ok {
		r.ips.full = !r.rest.keep(behindImages, line) || r.ips.full
		return
	}
	if len(r.images) == notation.MaxImages {
		r.ips.full = true
		return
	}
	arch := ""
	for _, text := range []*string{&im.Bundle.ID, &im.Bundle.Version, &im.Path} {
		words := strings.Fields(*text)
		if n := len(words); n > 0 && notation.Archs[words[n-1]] != task.UnknownArch {
			arch, *text = words[n-1], strings.Join(words[:n-1], " ")
			r.rest.phone = r.rest.phone || text == &im.Bundle.ID
		}
	}
	if r.rest.phone && strings.Contains(line, " +"+im.Name()) {
		r.rest.plus = true
	}
	if im.Bundle.ID == im.Name() {
		im.Bundle.ID = ""
	}
	if im.Bundle.Version == "*" {
		im.Bundle.Version = ""
	}
	r.images = append(r.images, im)
	r.ips.report.Images = append(r.ips.report.Images, ipsImage{
		Arch: arch, Base: uint64(im.Load), Size: uint64(im.End - im.Load), UUID: notation.ImageID(task.Darwin, im.ID), Path: im.Path,
		ID: im.Bundle.ID, Version: im.Bundle.Version, Build: im.Bundle.Build,
	})
}

// place assigns each frame to the image that contains it.
func (r *textReader) place() {
	index := map[*profile.Image]int{}
	for i, im := range r.images {
		index[im] = i
	}
	list := notation.SortedByAddress(r.images)
	d := &r.ips.report
	r.placeAll(d.LastException, list, index)
	for i := range d.Threads {
		r.placeAll(d.Threads[i].Frames, list, index)
	}
	for i := range d.Backtraces {
		r.placeAll(d.Backtraces[i].Frames, list, index)
	}
}

// placeAll assigns the frames of a stack to images. The name that a frame has for its
// image takes precedence over the listed image at that address.
func (r *textReader) placeAll(frames []ipsFrame, list []*profile.Image, index map[*profile.Image]int) {
	for i := range frames {
		f := &frames[i]
		f.Image = -1
		im := notation.ImageAt(list, task.Addr(f.Offset))
		switch {
		case im != nil && (f.image == "" || isCalled(im, f.image) || f.base != 0 && f.base == uint64(im.Load)):
			f.Image, f.Offset = index[im], f.Offset-uint64(im.Load)
		case f.image != "" && f.image != notation.Unknown:
			r.placeUnlisted(f)
		}
	}
}

// placeUnlisted assigns a frame to an image that is not in the list, or not at that
// address.
func (r *textReader) placeUnlisted(f *ipsFrame) {
	im := ipsImage{Name: f.image, Base: f.base}
	if base := r.bases[f.image]; base <= f.Offset && im.Base == 0 {
		im.Base = base
	}
	i, found := r.unlisted[im]
	if !found {
		if len(r.ips.report.Images) == 2*notation.MaxImages {
			r.ips.full = true
			return
		}
		i = len(r.ips.report.Images)
		r.unlisted[im] = i
		r.ips.report.Images = append(r.ips.report.Images, im)
	}
	f.Image, f.Offset = i, f.Offset-im.Base
}

// cutName replaces the cut-off start of a long name.
const cutName = "..."

// isCalled reports whether name, in a frame, is the image's identifier or file name,
// possibly with its start cut off.
func isCalled(im *profile.Image, name string) bool {
	end, cut := strings.CutPrefix(name, cutName)
	for _, called := range []string{im.Bundle.ID, im.Name()} {
		if called == name || cut && called != "" && strings.HasSuffix(called, end) {
			return true
		}
	}
	return false
}
