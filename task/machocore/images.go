package machocore

import (
	"io"
	"slices"

	"stacksnap/task"
)

// The sizes of structures in an "all image infos" note.
const (
	imageEntrySize = 48 // filepath offset, uuid, load address, segments' offset and count, executing
	segmentAtSize  = 32 // name of 16 characters, address, unused
	maxPath        = 4096
	maxImages      = 1 << 16
	maxSegments    = 256 // of one image: more than any file has
	// maxListed is the maximum size of the paths and segments of all images together,
	// because entries may refer to the same bytes.
	maxListed = 32 << 20
)

// allImageInfos decodes { u32 version = 1, u32 count, u64 offset of the entries, u32
// size of one, u32 unused }. All offsets are in the file, not in the note.
func (n *notes) allImageInfos(b []byte, p part) bool {
	c := cursor{b: b}
	version, count, offset := c.u32(), c.u32(), c.u64()
	if c.short || version != 1 || offset > uint64(p.Size()) {
		return false
	}
	left := min(p.Size(), maxListed)
	for i := range uint64(min(count, maxImages)) {
		var e [imageEntrySize]byte
		if _, err := p.ReadAt(e[:], int64(offset+i*imageEntrySize)); err != nil {
			return false
		}
		n.images = append(n.images, imageEntry(e[:], p, &left))
	}
	return true
}

// imageEntry reads { u64 offset of the path, uuid, u64 load address, u64 offset
// of the segments, u32 their count, u32 executing }, and what it points to, for
// which there are left bytes.
func imageEntry(e []byte, p part, left *int64) task.SavedImage {
	c := cursor{b: e}
	path, id, load, segments, count := c.u64(), c.bytes(16), c.u64(), c.u64(), c.u32()
	im := task.SavedImage{Path: stringAt(p, path, min(*left, maxPath)), ID: identifier(id)}
	if load != notKnown {
		im.Load = task.Addr(load)
	}
	*left -= int64(len(im.Path))
	im.Segments = segmentsAt(p, segments, min(int64(count), maxSegments, *left/segmentAtSize))
	*left -= int64(len(im.Segments)) * segmentAtSize
	return im
}

func segmentsAt(p part, offset uint64, count int64) []task.SavedSegment {
	var list []task.SavedSegment
	for i := range count {
		var b [segmentAtSize]byte
		if offset > uint64(p.Size()) {
			break
		}
		if _, err := p.ReadAt(b[:], int64(offset)+i*segmentAtSize); err != nil {
			break
		}
		c := cursor{b: b[:]}
		name := cString(c.bytes(16))
		list = append(list, task.SavedSegment{Name: printable(name), Addr: task.Addr(c.u64())})
	}
	return list
}

// loadBinary decodes { u32 version = 1, uuid, u64 load address, u64 slide, name }.
func (n *notes) loadBinary(b []byte, _ part) bool {
	c := cursor{b: b}
	version, id, load, slide := c.u32(), c.bytes(16), c.u64(), c.u64()
	if c.short || version != 1 {
		return false
	}
	im := task.SavedImage{Path: printable(cString(c.b)), ID: identifier(id)}
	if load != notKnown {
		im.Load = task.Addr(load)
	}
	if slide != notKnown {
		im.Slide, im.HasSlide = slide, true
	}
	n.images = append(n.images, im)
	return true
}

// identifier returns a uuid, nil if it is all zeros.
func identifier(id []byte) []byte {
	if !slices.ContainsFunc(id, func(b byte) bool { return b != 0 }) {
		return nil
	}
	return slices.Clone(id)
}

// stringAt reads a NUL-terminated string in the file, at most limit bytes.
func stringAt(p part, offset uint64, limit int64) string {
	if offset >= uint64(p.Size()) {
		return ""
	}
	b := make([]byte, min(limit, p.Size()-int64(offset)))
	if n, err := p.ReadAt(b, int64(offset)); err != nil && err != io.EOF {
		b = b[:n]
	}
	return printable(cString(b))
}
