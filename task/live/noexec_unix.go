//go:build unix

package live

import "syscall"

// errNoExec is exec's answer to a file of no known format.
const errNoExec = syscall.ENOEXEC
