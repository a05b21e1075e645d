//go:build !linux

package elf

import "io/fs"

// identify tells no file from another: mappings are told apart so on Linux alone.
func identify(info fs.FileInfo) identity {
	return identity{size: info.Size(), changed: info.ModTime().UnixNano()}
}
