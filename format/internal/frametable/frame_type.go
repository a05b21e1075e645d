package frametable

import (
	"path"

	"stacksnap/format/profile"
)

// FrameType is what runs a frame or compiled it, by the names of OpenTelemetry's semantic conventions
// (profile.frame.type); empty: not known.
type FrameType string

// The types.
const (
	Kernel  FrameType = "kernel"
	Native  FrameType = "native"
	Go      FrameType = "go"
	Rust    FrameType = "rust"
	CPython FrameType = "cpython"
)

// typeOf returns the type of a frame. Code that a compiler made at run time has none of these.
func typeOf(n *profile.Node) FrameType {
	switch ext := path.Ext(n.File); {
	case n.Kernel:
		return Kernel
	case n.Image.IsCPython():
		return CPython
	case n.Image == nil || n.Image.Runtime || n.Image.Generated:
		return ""
	case ext == ".go":
		return Go
	case ext == ".rs":
		return Rust
	}
	return Native
}
