package dyld

import "strings"

// IsApples reports whether the image at a path is part of macOS.
func IsApples(path string) bool {
	return strings.HasPrefix(path, "/System/") || strings.HasPrefix(path, "/usr/lib/")
}
