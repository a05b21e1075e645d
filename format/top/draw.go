package top

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"stacksnap/format/words"
)

// painter draws pages on a screen.
type painter struct {
	screen tcell.Screen
	styles map[style]tcell.Style
	ascii  bool
}

func newPainter(s tcell.Screen, color, ascii bool) *painter {
	return &painter{s, styles(color), ascii}
}

// styles returns the terminal's style for each style of text, with or without colours.
func styles(color bool) map[style]tcell.Style {
	d := tcell.StyleDefault
	all := map[style]tcell.Style{
		plain: d, faint: d.Dim(true), strong: d.Bold(true), heading: d.Underline(true), focused: d.Reverse(true).Bold(true),
		chosen: d.Reverse(true), marked: d.Bold(true), warning: d.Bold(true), keyName: d.Bold(true),
	}
	if color {
		all[heading] = d.Foreground(tcell.ColorBlack).Background(tcell.ColorSilver)
		all[focused] = d.Foreground(tcell.ColorBlack).Background(tcell.ColorGreen)
		all[chosen] = d.Foreground(tcell.ColorBlack).Background(tcell.ColorTeal)
		all[warning] = d.Foreground(tcell.ColorMaroon).Bold(true)
		all[keyName] = d.Foreground(tcell.ColorTeal).Bold(true)
	}
	return all
}

// paint draws a page.
func (p *painter) paint(page []line) {
	width, _ := p.screen.Size()
	p.screen.Clear()
	for y, l := range page {
		x := 0
		for _, s := range l.spans {
			x = p.put(x, y, width, p.text(s.text), p.styles[s.style])
		}
		if l.fill != plain {
			p.put(x, y, width, strings.Repeat(" ", max(0, width-x)), p.styles[l.fill])
		}
	}
	p.screen.Show()
}

// put writes a text into cells, up to width, and returns the column after it.
func (p *painter) put(x, y, width int, text string, of tcell.Style) int {
	for text != "" && x < width {
		rest, n := p.screen.Put(x, y, text, of)
		if n == 0 || len(rest) == len(text) {
			break
		}
		x, text = x+n, rest
	}
	return x
}

var inASCII = strings.NewReplacer("…", "~", "↓", "v", "↑", "^")

func (p *painter) text(s string) string {
	if !p.ascii {
		return s
	}
	return words.InASCII(inASCII.Replace(s))
}
