// Command pictures makes the pictures in README.md from two recordings beside it: the
// first screen of a report, as a terminal of 80 columns and 24 lines shows it (SVG), and
// the page of -f html, as Chromium shows it (PNG). It also makes those in screens/README.md:
// the first screens of five broken programs, from before they named the cause, and now.
//
//	go run ./scripts/pictures          # makes the pictures
//	go run ./scripts/pictures -record  # the recordings first, of the program in shop/
//
// It is for Linux. Recordings want a C compiler, and the page wants chromium.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// What is in the folder of this program.
const (
	snapshotFile = "hang.snap"
	samplesFile  = "samples.snap"
	screenFile   = "first-screen.svg"
	pageFile     = "page.png"
)

func main() {
	record := flag.Bool("record", false, "make the recordings anew, too")
	flag.Parse()
	if err := makePictures(*record); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func makePictures(record bool) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "pictures")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	stacksnap, err := buildStacksnap(root, work)
	if err != nil {
		return err
	}
	here := filepath.Join(root, "scripts", "pictures")
	if record {
		if err := recordShop(stacksnap, here); err != nil {
			return err
		}
		if err := recordBroken(stacksnap, root, work, filepath.Join(here, screensFolder)); err != nil {
			return err
		}
	}
	if err := comparePictures(stacksnap, filepath.Join(here, screensFolder)); err != nil {
		return err
	}
	picture, err := firstScreen(stacksnap, filepath.Join(here, snapshotFile))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(here, screenFile), picture, 0o644); err != nil {
		return err
	}
	return photographPage(stacksnap, filepath.Join(here, samplesFile), filepath.Join(here, pageFile), work)
}

// moduleRoot is the folder of the source.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	return strings.TrimSpace(string(out)), err
}

// buildStacksnap builds the program in a folder, and returns its path.
func buildStacksnap(root, folder string) (string, error) {
	path := filepath.Join(folder, "stacksnap")
	cmd := exec.Command("go", "build", "-C", root, "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return path, run(cmd)
}

// run runs a command, and has what it printed in the error.
func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}
