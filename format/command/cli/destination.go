package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"stacksnap/format"
	"stacksnap/format/output"
)

// Destination is one place that the report goes to, and how it is written there.
type Destination struct {
	Path        string // as --output has it; empty: standard output
	Form        format.Format
	Compression output.Compression
}

// Destinations are all places that the report goes to: files first, as whoever reads
// standard output may be slow, or end this program.
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

// Destination decides on one. The name of a file tells its form, if it does; of one
// file alone --format decides, where it is given.
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

// formOf returns the form that a file's name tells, by the longest extension.
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

// namesTell reports whether the names of all files tell their forms.
func (o *Options) namesTell() bool {
	return len(o.outputs) > 0 && !slices.ContainsFunc(o.outputs, func(path string) bool {
		_, name := output.CompressionOf(path)
		_, ok := formOf(name)
		return !ok
	})
}

// checkOutputs refuses files that would be written twice, and a --format that is for
// none of them.
func (o *Options) checkOutputs() error {
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

// IsFile reports whether it is no stream of ours.
func (d *Destination) IsFile() bool { return d.Path != "" && d.Path != StandardOutput }

// IsPage reports whether it is a file that a browser shows.
func (d *Destination) IsPage() bool {
	return d.IsFile() && d.Form.Name == "html" && d.Compression == output.Plain
}
