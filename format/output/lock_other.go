//go:build !unix || solaris || aix

package output

import "os"

// lockFile does not lock: nothing is captured on these systems.
func lockFile(*os.File) error { return nil }
