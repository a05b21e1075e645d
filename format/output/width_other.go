//go:build !unix

package output

import "os"

// Size returns 0: the size of a terminal is unknown on this system.
func Size(*os.File) (columns, lines int) { return 0, 0 }
