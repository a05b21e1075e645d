package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The size of the browser's window in the picture, in pixels.
const window = "1200,1100"

// photographPage makes a picture of the page of a recording.
func photographPage(stacksnap, recording, picture, work string) error {
	page := filepath.Join(work, "page.html")
	if err := run(exec.Command(stacksnap, recording, "-o", page)); err != nil {
		return err
	}
	profile, err := os.MkdirTemp(work, "profile")
	if err != nil {
		return err
	}
	cmd := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--user-data-dir="+profile, "--window-size="+window, "--screenshot="+picture, "--virtual-time-budget=3000", "file://"+page)
	if err := run(cmd); err != nil {
		return fmt.Errorf("a picture of the page: %w", err)
	}
	return shrink(picture)
}
