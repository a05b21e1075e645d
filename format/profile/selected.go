package profile

import "regexp"

// Select returns a profile with the samples that have a function matching focus (or all if
// focus is empty), without those that have a function matching ignore. It removes frames of
// functions matching hide: their callees become callees of their caller, and their own time
// becomes that of the caller. Samples with only hidden frames are removed, as go tool pprof
// does.
//
// Threads without any remaining samples are removed. The number of samples of a thread does
// not change, so that shares are still shares of the time. p does not change.
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

// thread returns the selected part of a thread, and the number of samples left out.
func (s *selector) thread(t *Thread) (entry *Thread, left int) {
	own, left := s.regrow(t)
	if len(s.focus.Patterns) > 0 && t.Empty > 0 {
		left += t.Empty
		own.Empty, own.Err = 0, ""
		own.Timeline = own.Timeline.withoutEmpty()
	}
	return own, left
}

// chosen is what the frames of a stack, down to some frame, decide.
type chosen struct {
	focused, ignored bool
	cut              *Cut // the stack's cut, for when all frames further out are hidden
}

// regrow rebuilds the tree with the selected samples.
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

// choose updates the decision with the next node.
func (s *selector) choose(above chosen, n *Node) chosen {
	above.focused = above.focused || s.focus.matches(&n.Location)
	above.ignored = above.ignored || s.ignore.matches(&n.Location)
	if n.Cut != nil {
		above.cut = n.Cut
	}
	return above
}

// place returns the new node for the last frame of a path; for a hidden frame, that of its
// caller. A node that becomes outermost because its callers are hidden gets the stack's
// cut.
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

// Patterns are regular expressions for function names, demangled or as in the file. Code
// without a name is called "??? (image)".
type Patterns []*regexp.Regexp

// matcher caches the matches of each function.
type matcher struct {
	Patterns
	known map[called]bool
}

// called is what a pattern is matched against.
type called struct {
	function, raw string
	image         *Image // image, for code without a name
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
