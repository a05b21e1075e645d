package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// TestFirstScreen is still what the program shows of the recording: go run
// ./scripts/pictures makes the picture anew.
func TestFirstScreen(t *testing.T) {
	needs.OS(t, "linux")
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	stacksnap, err := buildStacksnap(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got, err := firstScreen(stacksnap, snapshotFile)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(screenFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the program shows: make it anew with go run ./scripts/pictures\n%s", screenFile, got)
	}
}

// TestBeforeAfter: the right half of each picture is still what the program shows.
func TestBeforeAfter(t *testing.T) {
	needs.OS(t, "linux")
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	stacksnap, err := buildStacksnap(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const most = 60 << 10 // bytes, for a page with five of them
	for _, b := range broken {
		got, err := beforeAfter(stacksnap, screensFolder, b.name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(screensFolder + "/" + b.name + ".svg")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) || len(want) > most {
			t.Errorf("%s.svg, of %d bytes, is not what the program shows: make it anew with go run ./scripts/pictures\n%s", b.name, len(want), got)
		}
	}
}

func TestParse(t *testing.T) {
	screen := parse([]byte("\x1b[1ma\x1b[22m\x1b[31mb\x1b[0m<\r\n" + string(bytes.Repeat([]byte("x"), columns+1)) + "\n"))
	want := []cell{{'a', style{bold: true}}, {'b', style{color: 2}}, {'<', style{}}}
	if len(screen) != 3 || len(screen[0]) != len(want) || len(screen[1]) != columns || len(screen[2]) != 1 {
		t.Fatalf("%v", screen)
	}
	for i, c := range want {
		if screen[0][i] != c {
			t.Errorf("%d: %v, want %v", i, screen[0][i], c)
		}
	}
	if got := string(drawSVG([][]cell{parseLine(" a b  c ", &style{})})); !strings.Contains(got, ">a b<") || !strings.Contains(got, ">c<") {
		t.Errorf("blanks are not kept by place: %s", got)
	}
	picture := drawSVG(screen)
	for _, want := range []string{`font-weight="bold">a<`, `fill="#ff7b72">b<`, "&lt;"} {
		if !bytes.Contains(picture, []byte(want)) {
			t.Errorf("no %s in\n%s", want, picture)
		}
	}
}
