//go:build !unix

package output

import "os"

// Width returns how many columns a terminal has, 0 where it does not tell.
func Width(*os.File) int { return 0 }
