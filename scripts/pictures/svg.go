package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// The sizes in the picture, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 14
	fontSize   = 14
)

// palette are the eight colours of a terminal on a dark ground.
var palette = [...]string{"#484f58", "#ff7b72", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#e6edf3"}

const (
	ground = "#0d1117"
	ink    = "#c9d1d9"
	pale   = "#8b949e" // faint
)

// screenWidth is the width of a terminal with its margins.
const screenWidth = columns*cellWidth + 2*margin

// drawSVG draws the lines of terminals, side by side.
func drawSVG(screens ...[][]cell) []byte {
	var b bytes.Buffer
	width, height := float64(len(screens))*screenWidth, float64(lines*cellHeight+2*margin)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", ground)
	fmt.Fprintf(&b, `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="%d" fill="%s" xml:space="preserve">`+"\n", fontSize, ink)
	for i, screen := range screens {
		for row, line := range screen {
			drawLine(&b, line, float64(i)*screenWidth+margin, float64(margin+(row+1)*cellHeight-5))
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// drawLine draws the runs of one style in a line that begins at x.
func drawLine(b *bytes.Buffer, line []cell, x, y float64) {
	for from := 0; from < len(line); {
		to := from
		for to < len(line) && line[to].style == line[from].style {
			to++
		}
		drawRun(b, line[from:to], x+float64(from)*cellWidth, y)
		from = to
	}
}

// drawRun draws letters of one style. What two blanks or more divide is drawn apart, as browsers show
// several blanks as one.
func drawRun(b *bytes.Buffer, run []cell, x, y float64) {
	for from := 0; from < len(run); {
		if run[from].r == ' ' {
			from++
			continue
		}
		to := from + 1
		for to < len(run) && (run[to].r != ' ' || to+1 < len(run) && run[to+1].r != ' ') {
			to++
		}
		drawPart(b, run[from:to], x+float64(from)*cellWidth, y)
		from = to
	}
}

// drawPart draws letters of one style that neither begin nor end with a blank. It gives their width, as
// fonts differ.
func drawPart(b *bytes.Buffer, part []cell, x, y float64) {
	var text strings.Builder
	for _, c := range part {
		text.WriteRune(c.r)
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.0f" textLength="%.1f"%s>`, x, y, float64(len(part))*cellWidth, part[0].style.attributes())
	_ = xml.EscapeText(b, []byte(text.String())) // a buffer takes all
	b.WriteString("</text>\n")
}

// attributes are those of SVG for a style.
func (s style) attributes() (all string) {
	switch {
	case s.color > 0:
		all = fmt.Sprintf(` fill="%s"`, palette[s.color-1])
	case s.faint:
		all = fmt.Sprintf(` fill="%s"`, pale)
	}
	if s.bold {
		all += ` font-weight="bold"`
	}
	return all
}
