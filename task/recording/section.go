package recording

// Section is part of the bytes that a file returned for one of its sections.
type Section struct {
	Image  int
	Name   string // as listed in recording.proto
	VMAddr uint64 // address of the section's first byte
	Offset int    // of Data in the section, replacing what is there; there are no gaps
	Data   []byte
	// Restart: discard the parts recorded before.
	Restart bool
	Error   string // why the section is unreadable
}

func appendSection(b []byte, s *Section) []byte {
	b = appendUintIf(b, 1, uint64(s.Image))
	b = appendBytesIf(b, 2, s.Name)
	b = appendUintIf(b, 3, s.VMAddr)
	b = appendUintIf(b, 4, uint64(s.Offset))
	b = appendBytesIf(b, 5, s.Data)
	b = appendBoolIf(b, 6, s.Restart)
	return appendBytesIf(b, 7, s.Error)
}

// parseSection decodes a section. Data is not copied.
func parseSection(data []byte) (Section, error) {
	var s Section
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			s.Image = index(m.n)
		case 2:
			s.Name = m.string()
		case 3:
			s.VMAddr = m.n
		case 4:
			s.Offset = index(m.n)
		case 5:
			s.Data = m.data
		case 6:
			s.Restart = m.bool()
		case 7:
			s.Error = m.string()
		}
	}
	return s, m.err
}
