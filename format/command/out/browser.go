package out

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// browserLimit is the time to wait for an error of the opener. The opener itself may run
// for as long as the browser.
const browserLimit = 5 * time.Second

// openPage opens a page in the browser. A failure is only printed, since the page was
// written.
func (c *Reporter) openPage(path string) {
	if err := browse(path, browserLimit); err != nil {
		Tell(c.Err, fmt.Sprintf("--open: the page is in %s, and no browser shows it: %v", path, err))
	}
}

// browse opens a file in the user's default program for its type. It returns an error if
// the opener fails within limit.
func browse(path string, limit time.Duration) error {
	path, err := filepath.Abs(path) // so that a leading "-" makes no flag
	if err != nil {
		return err
	}
	name := opener()
	cmd := exec.Command(name, path)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	case <-time.After(limit):
	}
	return nil
}

// opener returns the name of the system's program that opens files.
func opener() string {
	if runtime.GOOS == "darwin" {
		return "open"
	}
	return "xdg-open"
}
