package crash

import (
	"strconv"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// frame reads a frame: its offset is its address until the images are known.
func (r *textReader) frame(line string) {
	m := textForms().frame.FindStringSubmatch(line)
	if m == nil {
		return
	}
	if r.ips.frames++; r.ips.frames > maxIPSFrames {
		r.ips.full = true
		return
	}
	pc, _ := strconv.ParseUint(strings.TrimPrefix(m[3], "0x"), 16, 64) // it is hexadecimal
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

// frameImage is the name that a frame has for its image. Reporters of other makers mark
// those that are not Apple's, and the ones that they suspect.
func frameImage(name string) string {
	name = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(name), " (*)"))
	return strings.TrimSpace(strings.TrimPrefix(name, "+ "))
}

// place reads what is at the place of a frame: a symbol, or where the image begins, or both,
// as reporters of other makers have it.
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

// symbol reads what a frame is called, where anything is known.
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

// isNumber reports whether an address is in the place of a symbol.
func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 0, 64)
	return err == nil
}

// image reads a line of the list, which has the version of the image behind its name,
// or on iOS its architecture.
func (r *textReader) image(line string) {
	line, _, _ = strings.Cut(line, " {\"") // of the package that it is installed by
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

// place finds for each frame the image that it lies in.
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

// placeAll places the frames of a stack. What a frame says of its image goes before what the
// list has at that address.
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

// placeUnlisted places a frame in an image that the list does not have, or not there.
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

// cutName is in the place of what is left out of the begin of a long name.
const cutName = "..."

// isCalled reports whether a frame's name for its image is that of the list, or of its
// file, without the begin where it is long.
func isCalled(im *profile.Image, name string) bool {
	end, cut := strings.CutPrefix(name, cutName)
	for _, called := range []string{im.Bundle.ID, im.Name()} {
		if called == name || cut && called != "" && strings.HasSuffix(called, end) {
			return true
		}
	}
	return false
}
