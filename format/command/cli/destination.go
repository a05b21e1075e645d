package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"stacksnap/format"
	"stacksnap/format/output"
)

// Destination is one place to write the report to, and the format to write it in.
type Destination struct {
	Path        string // value of --output; empty: standard output
	Form        format.Format
	Compression output.Compression
}

// Destinations returns all places to write the report to. Files come first, as the reader
// of standard output may be slow, or close it and so end this program.
func (o *Options) Destinations() []Destination {
	if len(o.outputs) == 0 {
		return []Destination{o.Destination("")}
	}
	var files, streams []Destination
	for _, path := range o.outputs {
		if d := o.Destination(path); d.IsFile() {
			files = append(files, d)
		} else {
			streams = append(streams, d)
		}
	}
	return append(files, streams...)
}

// Destination returns the destination for a path. The format is that of the path's
// extension, if it has one. --format takes precedence if there is only one output.
func (o *Options) Destination(path string) Destination {
	d := Destination{Path: path}
	compression, name := output.CompressionOf(path)
	d.Compression = compression
	told, ok := formOf(name)
	if ok && !(len(o.outputs) == 1 && o.IsSet("format")) {
		d.Form = told
	} else {
		d.Form = format.Named(o.Format)
	}
	if d.Form.Compressed && compression == output.Plain && !slices.Contains(d.Form.Extensions, filepath.Ext(path)) {
		d.Compression = output.Gzip
	}
	return d
}

// formOf returns the format whose extension the file name ends in; the longest extension
// wins.
func formOf(name string) (found format.Format, ok bool) {
	longest := 0
	for _, f := range format.All() {
		for _, extension := range f.Extensions {
			if len(extension) > longest && strings.HasSuffix(name, extension) {
				longest, found = len(extension), f
			}
		}
	}
	return found, longest > 0
}

// namesTell reports whether each output file's name determines its format.
func (o *Options) namesTell() bool {
	return len(o.outputs) > 0 && !slices.ContainsFunc(o.outputs, func(path string) bool {
		_, name := output.CompressionOf(path)
		_, ok := formOf(name)
		return !ok
	})
}

// checkOutputs returns an error if two outputs have the same file, or if --format applies
// to none of them.
func (o *Options) checkOutputs() error {
	if err := o.checkNames(); err != nil {
		return err
	}
	seen := map[string]bool{}
	if o.Save != "" {
		seen[filepath.Clean(o.Save)] = true
	}
	for _, path := range o.outputs {
		if clean := filepath.Clean(path); !seen[clean] {
			seen[clean] = true
			continue
		}
		if o.Save != "" && filepath.Clean(path) == filepath.Clean(o.Save) {
			return fmt.Errorf("--output and --save need a file each")
		}
		return fmt.Errorf("--output %s is given twice: each needs a file of its own", path)
	}
	if len(o.outputs) > 1 && o.Has("format") && o.namesTell() {
		return fmt.Errorf("--format %s is for none of the files, whose names tell theirs: leave it out", o.Format)
	}
	return nil
}

// IsFile reports whether the destination is a file rather than a standard stream.
func (d *Destination) IsFile() bool { return d.Path != "" && d.Path != StandardOutput }

// IsPage reports whether the destination is a file that a browser can show.
func (d *Destination) IsPage() bool {
	return d.IsFile() && d.Form.Name == "html" && d.Compression == output.Plain
}
