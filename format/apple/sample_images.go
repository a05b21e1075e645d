package apple

import (
	"slices"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
)

// images lists the files. The range ends with the last byte of the code. A plus sign
// marks images that are not Apple's.
func (s *sampleWriter) images() {
	listed := slices.DeleteFunc(slices.Clone(s.profile.Images), func(im *profile.Image) bool { return !im.Placed() })
	s.Line("")
	if len(listed) == 0 {
		s.Line(notation.NoBinaryImages)
		return
	}
	s.Line(notation.BinaryImages)
	for _, im := range listed {
		s.Line("%s", notation.ImageLine(s.profile.Target.OS, im))
	}
}
