package recording

import (
	"stacksnap/task"
)

// Image is a file as it was loaded into the target.
type Image struct {
	Path  string
	Load  task.Addr // address of the file's first byte
	Slide uint64    // address − vmaddr, modulo 2^64
	Main  bool
	Note  string
	Error string // why it could not be read

	Read     bool // it could be read, and the following fields are valid
	Arch     task.Arch
	ID       []byte
	Segments []Segment
	Symbols  bool // it has a symbol table

	Generated bool // it names generated code outside all other images

	// Of a Mac program: its architecture as Apple's tools name it, and its identifier
	// and versions.
	Variant                              string
	BundleID, BundleVersion, BundleBuild string
}

// Segment is a mapped part of a file.
type Segment struct {
	Name           string
	VMAddr, Size   uint64
	Offset, InFile uint64 // offset and bytes in the file
	Prot           task.Prot
}

// maxSegments is the maximum number of an image's segments; real ones have some
// dozens.
const maxSegments = 1 << 12

// Append appends the image's encoding. Equal images have equal encodings.
func (im *Image) Append(b []byte) []byte {
	b = appendBytesIf(b, 1, im.Path)
	b = appendUintIf(b, 2, uint64(im.Load))
	b = appendUintIf(b, 3, im.Slide)
	b = appendBoolIf(b, 4, im.Main)
	b = appendBytesIf(b, 5, im.Note)
	b = appendBytesIf(b, 6, im.Error)
	b = appendBoolIf(b, 7, im.Read)
	b = appendUintIf(b, 8, uint64(im.Arch))
	b = appendBytesIf(b, 9, im.ID)
	for i := range im.Segments {
		s := &im.Segments[i]
		var at int
		b, at = begin(b, 10)
		b = appendBytesIf(b, 1, s.Name)
		b = appendUintIf(b, 2, s.VMAddr)
		b = appendUintIf(b, 3, s.Size)
		b = appendUintIf(b, 4, s.Offset)
		b = appendUintIf(b, 5, s.InFile)
		b = appendUintIf(b, 6, uint64(s.Prot))
		b = end(b, at)
	}
	b = appendBoolIf(b, 11, im.Symbols)
	b = appendBytesIf(b, 20, im.Variant)
	b = appendBytesIf(b, 21, im.BundleID)
	b = appendBytesIf(b, 22, im.BundleVersion)
	b = appendBytesIf(b, 23, im.BundleBuild)
	return appendBoolIf(b, 24, im.Generated)
}

func parseImage(data []byte) (Image, error) {
	var im Image
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			im.Path = m.string()
		case 2:
			im.Load = task.Addr(m.n)
		case 3:
			im.Slide = m.n
		case 4:
			im.Main = m.bool()
		case 5:
			im.Note = m.string()
		case 6:
			im.Error = m.string()
		default:
			parseFile(&im, &m)
		}
	}
	return im, m.err
}

func parseFile(im *Image, m *message) {
	switch m.field {
	case 7:
		im.Read = m.bool()
	case 8:
		im.Arch = arch(m.n)
	case 9:
		im.ID = append([]byte(nil), m.data...)
	case 10:
		if len(im.Segments) == maxSegments {
			m.fail(errTooBig)
			return
		}
		s, err := parseSegment(m.data)
		im.Segments = append(im.Segments, s)
		m.fail(err)
	case 11:
		im.Symbols = m.bool()
	case 20:
		im.Variant = m.string()
	case 21:
		im.BundleID = m.string()
	case 22:
		im.BundleVersion = m.string()
	case 23:
		im.BundleBuild = m.string()
	case 24:
		im.Generated = m.bool()
	}
}

func parseSegment(data []byte) (Segment, error) {
	var s Segment
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			s.Name = m.string()
		case 2:
			s.VMAddr = m.n
		case 3:
			s.Size = m.n
		case 4:
			s.Offset = m.n
		case 5:
			s.InFile = m.n
		case 6:
			s.Prot = prot(m.n)
		}
	}
	return s, m.err
}

func prot(n uint64) task.Prot { return task.Prot(n) & (task.Read | task.Write | task.Execute) }

// Answer is what a file answered about the function at a vmaddr, or about the data
// between instructions.
type Answer struct {
	Image  int
	Asked  uint64 // the vmaddr looked up
	Found  bool
	VMAddr uint64 // start of the function or the data
	Size   uint64 // of the symbol or the data; 0: the file does not say
	Name   string // of the symbol
	Public string // public name, if Name is another
	Thumb  bool   // the function is Thumb code
}

func appendAnswer(b []byte, a *Answer) []byte {
	b = appendUintIf(b, 1, uint64(a.Image))
	b = appendUintIf(b, 2, a.Asked)
	if !a.Found {
		return b
	}
	b = appendBoolIf(b, 3, true)
	b = appendUintIf(b, 4, a.VMAddr)
	b = appendUintIf(b, 5, a.Size)
	b = appendBytesIf(b, 6, a.Name)
	b = appendBytesIf(b, 7, a.Public)
	return appendBoolIf(b, 8, a.Thumb)
}

func parseAnswer(data []byte) (Answer, error) {
	var a Answer
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			a.Image = index(m.n)
		case 2:
			a.Asked = m.n
		case 3:
			a.Found = m.bool()
		case 4:
			a.VMAddr = m.n
		case 5:
			a.Size = m.n
		case 6:
			a.Name = m.string()
		case 7:
			a.Public = m.string()
		case 8:
			a.Thumb = m.bool()
		}
	}
	return a, m.err
}

// index converts an image number to an int. Too large a number is out of range of any
// slice.
func index(n uint64) int { return int(min(n, 1<<31-1)) }
