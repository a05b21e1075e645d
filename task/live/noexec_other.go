//go:build !unix

package live

import "errors"

var errNoExec = errors.New("exec format error")
