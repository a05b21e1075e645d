//go:build unix && !linux

package directory

import "os"

// hasACL returns false: access control lists are not read on this system.
func hasACL(*os.File) bool { return false }
