// Package bundle reads a Mac program's identifier and version from its information
// property list.
package bundle

import (
	"io"
	"path"
	"strings"

	"stacksnap/images/object"
	"stacksnap/task/regular"
)

// MaxSize is the maximum size of a property list in bytes. Real ones are below 100
// KB.
const MaxSize = 1 << 20

// Of returns the bundle whose main program this is: an application, an extension or a
// framework. It is empty for any other file.
func Of(program string) object.Bundle {
	file := listOf(program)
	if file == "" {
		return object.Bundle{}
	}
	values := Parse(read(file))
	// A helper is in the same directory, but is not the bundle's main program.
	if values[executableKey] != path.Base(program) {
		return object.Bundle{}
	}
	return describe(values)
}

// In returns the bundle described by a property list in the program itself, section
// __TEXT,__info_plist.
func In(list []byte) object.Bundle { return describe(Parse(list)) }

// listOf returns the path of the property list that a program with this path may
// have.
func listOf(program string) string {
	dir := path.Dir(program)
	above := path.Dir(dir)
	switch {
	case path.Base(dir) == "MacOS" && path.Base(above) == "Contents":
		return path.Join(above, "Info.plist")
	case strings.HasSuffix(dir, ".app") || strings.HasSuffix(dir, ".appex"): // on iPad
		return path.Join(dir, "Info.plist")
	case strings.HasSuffix(path.Dir(above), ".framework") && path.Base(above) == "Versions":
		return path.Join(dir, "Resources", "Info.plist")
	}
	return ""
}

// read reads a small regular file. It returns nil for any other, and does not block
// on a pipe.
func read(file string) []byte {
	f, info, err := regular.Open(file)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	if info.Size() > MaxSize {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(f, MaxSize))
	if err != nil {
		return nil
	}
	return b
}

// The keys that are read (Apple, Bundle Resources, Core Foundation Keys).
const (
	identifierKey = "CFBundleIdentifier"
	versionKey    = "CFBundleShortVersionString"
	buildKey      = "CFBundleVersion"
	executableKey = "CFBundleExecutable"
)

func isWanted(key string) bool {
	switch key {
	case identifierKey, versionKey, buildKey, executableKey:
		return true
	}
	return false
}

func describe(values map[string]string) object.Bundle {
	return object.Bundle{ID: values[identifierKey], Version: values[versionKey], Build: values[buildKey]}
}
