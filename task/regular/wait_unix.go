//go:build unix && !linux

package regular

import "syscall"

const dontWait = syscall.O_NONBLOCK | syscall.O_NOCTTY
