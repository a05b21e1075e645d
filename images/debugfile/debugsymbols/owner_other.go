//go:build !unix

package debugsymbols

import "os"

func isOwn(os.FileInfo) bool { return false }
