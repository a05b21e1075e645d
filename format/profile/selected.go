package profile

import "regexp"

// Select returns the profile with the samples that have a function on their stack
// which focus matches, of all where there is no focus, but without those that have one
// which ignore matches. Of what is left, frames of functions that hide matches are left
// out: what they call is called by their caller, and what was spent in them was spent
// in it. A sample all of whose frames are hidden is left out, too, as go tool pprof
// does it.
//
// Threads of which nothing is left are left out. How many samples a thread was in does
// not change, so that shares remain those of the time. p is left as it is.
func (p *Profile) Select(focus, ignore, hide Patterns) *Profile {
	if len(focus)+len(ignore)+len(hide) == 0 {
		return p
	}
	changed := p.viewed()
	v := changed.View
	v.Focus, v.Ignore, v.Hide = focus, ignore, hide
	s := selector{newOrchard(), focus.matcher(), ignore.matcher(), hide.matcher()}
	for _, t := range p.Threads {
		entry, left := s.thread(t)
		v.LeftOut += left * t.Weight()
		if len(entry.Roots) == 0 && entry.Empty == 0 && left > 0 {
			v.LeftThreads += t.Weight()
			continue
		}
		changed.Threads = append(changed.Threads, entry)
	}
	return changed
}

// selector selects samples and frames.
type selector struct {
	*orchard
	focus, ignore, hide *matcher
}

// thread returns what is selected of a thread, and how many samples are left out.
func (s *selector) thread(t *Thread) (entry *Thread, left int) {
	own, left := s.regrow(t)
	if len(s.focus.Patterns) > 0 && t.Empty > 0 {
		left += t.Empty
		own.Empty, own.Err = 0, ""
		own.Timeline = own.Timeline.withoutEmpty()
	}
	return own, left
}

// chosen is what is known of a stack down to a frame.
type chosen struct {
	focused, ignored bool
	cut              *Cut // of a frame that is hidden, as all that are further out
}

// regrow grows the tree of what is selected.
func (s *selector) regrow(t *Thread) (_ *Thread, left int) {
	var state []chosen
	own := s.regrown(t, func(g *grower, path []frame) {
		last := len(path) - 1
		n := path[last].Node
		now := chosen{focused: len(s.focus.Patterns) == 0}
		if last > 0 {
			now = state[last-1]
		}
		now = s.choose(now, n)
		state = append(state[:last], now)
		at := s.place(g, path, now.cut)
		path[last].at = at
		if at == top || !now.focused || now.ignored {
			left += n.Self
			return
		}
		g.count(at, n, 1)
	})
	return own, left
}

// choose adds what a node says to what is known of the stack down to its caller.
func (s *selector) choose(above chosen, n *Node) chosen {
	above.focused = above.focused || s.focus.matches(&n.Location)
	above.ignored = above.ignored || s.ignore.matches(&n.Location)
	if n.Cut != nil {
		above.cut = n.Cut
	}
	return above
}

// place finds the node of the last frame of a path: of one that is hidden that of its
// caller. Who is outermost then lacks the callers that the hidden ones lack.
func (s *selector) place(g *grower, path []frame, cut *Cut) int {
	last := path[len(path)-1]
	above := parent(path)
	if s.hide.matches(&last.Location) {
		return above
	}
	n := last.Node
	if above == top && cut != nil && n.Cut == nil {
		own := *n
		own.Cut = cut
		n, last.number = &own, g.number(&own)
	}
	at, _ := g.child(above, last.number, n)
	return at
}

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
