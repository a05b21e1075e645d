package main

import (
	"bytes"
	"os/exec"
	"strconv"
	"strings"
	"unicode/utf8"

	"stacksnap/scripts/terminal"
)

// The size of the terminal in the picture.
const (
	columns = 80
	lines   = 24
)

// firstScreen is the picture of what a terminal shows first of the report of a
// recording, below the command of a person who asks for the live process.
func firstScreen(stacksnap, recording string) ([]byte, error) {
	screen, err := shown(stacksnap, recording, "$ stacksnap -p shop")
	if err != nil {
		return nil, err
	}
	return drawSVG(screen), nil
}

// shown is what a terminal shows first of the report of a recording, below a command.
func shown(stacksnap, recording, command string) ([][]cell, error) {
	cmd := exec.Command(stacksnap, recording)
	cmd.Env = []string{"TERM=xterm-256color", "LC_ALL=C.UTF-8", "TZ=UTC", "PAGER=cat"}
	text, err := terminal.Run(cmd, columns, lines)
	if err != nil {
		return nil, err
	}
	return below(command, text), nil
}

// below is the screen of a terminal with a command and what was written after it.
func below(command string, text []byte) [][]cell {
	screen := append([][]cell{parseLine(command, &style{})}, parse(text)...)
	return screen[:min(lines, len(screen))]
}

// style is how a terminal shows what follows an escape sequence.
type style struct {
	bold, faint bool
	color       int // of the eight of a terminal, from 1; 0: its own
}

// cell is one column of a line.
type cell struct {
	r     rune
	style style
}

// parse reads what was written to a terminal, line by line, wrapped where its width
// ends.
func parse(text []byte) (screen [][]cell) {
	var now style
	for line := range bytes.Lines(text) {
		cells := parseLine(strings.TrimRight(string(line), "\r\n"), &now)
		for len(cells) > columns {
			screen, cells = append(screen, cells[:columns]), cells[columns:]
		}
		screen = append(screen, cells)
	}
	return screen
}

// parseLine reads a line, with the style that it begins in and ends in.
func parseLine(line string, now *style) (cells []cell) {
	for line != "" {
		if codes, rest, ok := escape(line); ok {
			now.take(codes)
			line = rest
			continue
		}
		r, n := utf8.DecodeRuneInString(line)
		cells, line = append(cells, cell{r, *now}), line[n:]
	}
	return cells
}

// escape splits off a sequence that sets the style (ECMA-48, SGR).
func escape(line string) (codes []string, rest string, ok bool) {
	line, ok = strings.CutPrefix(line, "\x1b[")
	if !ok {
		return nil, "", false
	}
	list, rest, ok := strings.Cut(line, "m")
	return strings.Split(list, ";"), rest, ok
}

// take changes the style as a sequence says.
func (s *style) take(codes []string) {
	for _, code := range codes {
		n, _ := strconv.Atoi(code) // none is 0
		switch {
		case n == 0:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.faint = true
		case n == 22:
			s.bold, s.faint = false, false
		case n >= 30 && n <= 37:
			s.color = n - 30 + 1
		case n >= 90 && n <= 97:
			s.color = n - 90 + 1
		case n == 39:
			s.color = 0
		}
	}
}
