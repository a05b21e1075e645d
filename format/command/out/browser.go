package out

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// browserLimit is how long a refusal is waited for. What opens files may go on for as
// long as the browser.
const browserLimit = 5 * time.Second

// openPage has the browser show a page. That it does not is told, and is no failure: the
// page is there.
func (c *Reporter) openPage(path string) {
	if err := browse(path, browserLimit); err != nil {
		Tell(c.Err, fmt.Sprintf("--open: the page is in %s, and no browser shows it: %v", path, err))
	}
}

// browse opens a file by what the user has chosen for its kind.
func browse(path string, limit time.Duration) error {
	path, err := filepath.Abs(path) // it is no flag then, whatever it begins with
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

// opener is the program by which the system opens files.
func opener() string {
	if runtime.GOOS == "darwin" {
		return "open"
	}
	return "xdg-open"
}
