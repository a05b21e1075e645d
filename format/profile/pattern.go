package profile

import "regexp"

// Patterns are regular expressions on names of functions: as people know them, and as
// the file has them. Code without a name is called "??? (image)".
type Patterns []*regexp.Regexp

// matcher looks at each function once.
type matcher struct {
	Patterns
	known map[called]bool
}

// called is all that a pattern can match.
type called struct {
	function, raw string
	image         *Image // of code without a name
}

func (ps Patterns) matcher() *matcher { return &matcher{ps, map[called]bool{}} }

func (m *matcher) matches(l *Location) bool {
	if len(m.Patterns) == 0 {
		return false
	}
	key := called{function: l.Function, raw: l.Raw}
	if l.Function == "" {
		key.image = l.Image
	}
	is, ok := m.known[key]
	if !ok {
		is = m.match(key)
		m.known[key] = is
	}
	return is
}

func (m *matcher) match(c called) bool {
	for _, re := range m.Patterns {
		if re.MatchString(c.name()) || c.raw != "" && re.MatchString(c.raw) {
			return true
		}
	}
	return false
}

func (c called) name() string {
	switch {
	case c.function != "":
		return c.function
	case c.image != nil:
		return "??? (" + c.image.Name() + ")"
	}
	return "???"
}
