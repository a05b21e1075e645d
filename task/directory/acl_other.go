//go:build unix && !linux

package directory

import "os"

// hasACL reports whether a directory names others who may write to it: that is not known
// on this system.
func hasACL(*os.File) bool { return false }
