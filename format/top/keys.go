package top

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// action is an effect of a key beyond the state of the screen.
type action struct {
	quit    bool
	suspend bool
	repaint bool
	save    string // the file to write a report to
}

// key handles a key. now is the newest data.
func (s *state) key(k *tcell.EventKey, now *data) action {
	s.message = ""
	if k.Key() == tcell.KeyCtrlC {
		return action{quit: true}
	}
	if s.prompt != nil {
		return s.typed(k)
	}
	if s.help {
		s.help = false
		return action{}
	}
	if k.Key() == tcell.KeyRune {
		return s.letter(k.Rune(), now)
	}
	return s.special(k.Key(), now)
}

// special handles a key that is no character.
func (s *state) special(k tcell.Key, now *data) action {
	switch k {
	case tcell.KeyF10:
		return action{quit: true}
	case tcell.KeyCtrlZ:
		return action{suspend: true}
	case tcell.KeyCtrlL:
		return action{repaint: true}
	case tcell.KeyF1:
		s.help = true
	case tcell.KeyF4:
		s.askFilter()
	case tcell.KeyTab:
		s.focus = (s.focus + 1) % panes
	case tcell.KeyBacktab:
		s.focus = (s.focus + panes - 1) % panes
	case tcell.KeyEnter:
		s.enter()
	case tcell.KeyEscape:
		s.escape()
	default:
		s.move(k, now)
	}
	return action{}
}

// letter handles a character.
func (s *state) letter(r rune, now *data) action {
	switch r {
	case 'q', 'Q':
		return action{quit: true}
	case 'h', '?':
		s.help = true
	case '/':
		s.askFilter()
	case 's':
		s.prompt = &prompt{title: "save a report to: ", name: reportName(now)}
	case 'f', ' ':
		s.freeze(now)
	case 'j':
		s.move(tcell.KeyDown, now)
	case 'k':
		s.move(tcell.KeyUp, now)
	case 'g':
		s.move(tcell.KeyHome, now)
	case 'G':
		s.move(tcell.KeyEnd, now)
	default:
		s.view(r)
	}
	return action{}
}

// view handles a character that changes how data are shown.
func (s *state) view(r rune) {
	switch r {
	case 'i':
		s.outward, s.scroll = !s.outward, 0
	case 'w':
		s.measure = allTime - s.measure
	case 'm':
		s.single = !s.single
	case 't':
		s.only = !s.only
	case 'z':
		s.zoomed = !s.zoomed
	case '+', '=':
		s.window = min(s.window+1, len(windows)-1)
	case '-':
		s.window = max(s.window-1, 0)
	}
	if s.focus != stackPane {
		s.lists[s.focus].order(r)
	}
}

// order handles a character that changes the order of rows.
func (l *list) order(r rune) {
	switch {
	case r >= '1' && r < '1'+columns:
		l.column = int(r - '1')
	case r == '>':
		l.column = (l.column + 1) % columns
	case r == '<':
		l.column = (l.column + columns - 1) % columns
	case r == 'r':
		l.reversed = !l.reversed
	}
}

// freeze stops updating the screen, or resumes it.
func (s *state) freeze(now *data) {
	if s.frozen == nil {
		s.frozen = now
	} else {
		s.frozen = nil
	}
}

// enter shows the callers of the selected function, or the whole stack of the
// selected thread.
func (s *state) enter() {
	s.scroll = 0
	switch s.focus {
	case functionsPane:
		s.through = s.function >= 0
	case threadsPane:
		s.through, s.focus, s.zoomed = false, stackPane, true
	}
}

// escape undoes the innermost restriction of the view.
func (s *state) escape() {
	l := &s.lists[min(s.focus, threadsPane)]
	switch {
	case s.zoomed:
		s.zoomed = false
	case s.through:
		s.through, s.scroll = false, 0
	case s.focus != stackPane && l.filter.re != nil:
		l.filter = filter{}
	case s.only:
		s.only = false
	}
}

// move selects another row, or scrolls the stack.
func (s *state) move(k tcell.Key, now *data) {
	by, known := map[tcell.Key]int{
		tcell.KeyUp: -1, tcell.KeyDown: 1, tcell.KeyPgUp: -max(1, s.height-1), tcell.KeyPgDn: max(1, s.height-1),
		tcell.KeyHome: -far, tcell.KeyEnd: far,
	}[k]
	if !known {
		return
	}
	d := s.of(now)
	switch s.focus {
	case functionsPane:
		rows := s.functionRows(d)
		at := slices.IndexFunc(rows, func(r *functionRow) bool { return r.number == s.function })
		if i := moved(at, by, len(rows)); i >= 0 {
			s.function, s.scroll = rows[i].number, 0
		}
	case threadsPane:
		rows := s.threadRows(d)
		at := rowOf(rows, s.thread)
		if i := moved(at, by, len(rows)); i >= 0 {
			s.thread, s.picked, s.through, s.scroll = rows[i].id, true, false, 0
		}
	case stackPane:
		if s.outward && !s.through {
			by = -by
		}
		s.scroll = max(0, s.scroll+by) // stackPane bounds it
	}
}

// far is more than the number of rows.
const far = 1 << 30

// moved returns the index by rows away from at, within n rows; −1 if n is 0.
func moved(at, by, n int) int {
	if at < 0 && by > 0 {
		by--
	}
	return min(max(0, max(0, at)+by), n-1)
}

// prompt is an input line.
type prompt struct {
	title, text string
	name        string  // the file that Enter alone saves to; empty: the prompt is for a filter
	filter      *filter // the previous filter; nil unless the prompt is for one
	err         string
}

// askFilter opens the prompt for the filter of the focused pane.
func (s *state) askFilter() {
	if s.focus == stackPane {
		s.focus = functionsPane
	}
	old := s.lists[s.focus].filter
	s.prompt = &prompt{title: "/", text: old.text, filter: &old}
}

// typed handles a key in the prompt.
func (s *state) typed(k *tcell.EventKey) action {
	p := s.prompt
	switch k.Key() {
	case tcell.KeyEscape:
		if p.filter != nil {
			s.lists[s.focus].filter = *p.filter
		}
		s.prompt = nil
	case tcell.KeyEnter:
		return s.finish()
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		_, n := utf8.DecodeLastRuneInString(p.text)
		s.edit(p.text[:len(p.text)-n])
	case tcell.KeyCtrlU:
		s.edit("")
	case tcell.KeyCtrlW:
		s.edit(p.text[:strings.LastIndexAny(strings.TrimRight(p.text, " /"), " /")+1])
	case tcell.KeyRune:
		s.edit(p.text + string(k.Rune()))
	}
	return action{}
}

// maxTyped is the maximum number of bytes in a prompt.
const maxTyped = 1000

// edit sets the text of the prompt. A valid filter takes effect immediately.
func (s *state) edit(text string) {
	p := s.prompt
	if len(text) > maxTyped {
		return
	}
	p.text, p.err = text, ""
	if p.filter == nil {
		return
	}
	f, err := newFilter(text)
	if err != nil {
		p.err = "no regular expression yet"
		return
	}
	s.lists[s.focus].filter = f
}

// finish closes the prompt, unless its text is invalid.
func (s *state) finish() action {
	p := s.prompt
	if p.err != "" {
		return action{}
	}
	s.prompt = nil
	if p.name == "" {
		return action{}
	}
	return action{save: cmp.Or(strings.TrimSpace(p.text), p.name)}
}
