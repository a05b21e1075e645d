package recording

// Source is the source lines that a file answered for a vmaddr.
type Source struct {
	Image  int
	Asked  uint64  // the vmaddr looked up
	Places []Place // inlined calls, the innermost first, and last the function
}

// Place is a function and a line in the source. [Low, High) is the part of it that
// contains the address, 0 for an inlined call.
type Place struct {
	Function, File string
	Line, Column   int
	Low, High      uint64
}

// maxPlaces is the maximum number of calls inlined at one address.
const maxPlaces = 1 << 10

func appendSource(b []byte, s *Source) []byte {
	b = appendUintIf(b, 1, uint64(s.Image))
	b = appendUintIf(b, 2, s.Asked)
	for i := range s.Places {
		p := &s.Places[i]
		var at int
		b, at = begin(b, 3)
		b = appendBytesIf(b, 1, p.Function)
		b = appendBytesIf(b, 2, p.File)
		b = appendUintIf(b, 3, uint64(p.Line))
		b = appendUintIf(b, 4, uint64(p.Column))
		b = appendUintIf(b, 5, p.Low)
		b = appendUintIf(b, 6, p.High)
		b = end(b, at)
	}
	return b
}

func parseSource(data []byte) (Source, error) {
	var s Source
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			s.Image = index(m.n)
		case 2:
			s.Asked = m.n
		case 3:
			if len(s.Places) == maxPlaces {
				m.fail(errTooBig)
				continue
			}
			p, err := parsePlace(m.data)
			s.Places = append(s.Places, p)
			m.fail(err)
		}
	}
	return s, m.err
}

func parsePlace(data []byte) (Place, error) {
	var p Place
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			p.Function = m.string()
		case 2:
			p.File = m.string()
		case 3:
			p.Line = index(m.n)
		case 4:
			p.Column = index(m.n)
		case 5:
			p.Low = m.n
		case 6:
			p.High = m.n
		}
	}
	return p, m.err
}
