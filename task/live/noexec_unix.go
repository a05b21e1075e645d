//go:build unix

package live

import "syscall"

// errNoExec is exec's error for a file of no known format.
const errNoExec = syscall.ENOEXEC
