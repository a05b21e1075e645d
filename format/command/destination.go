package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stacksnap/format"
	"stacksnap/format/output"
	"stacksnap/format/words"

	"github.com/fatih/color"
)

// destination is one place that the report goes to, and how it is written there.
type destination struct {
	path        string // as --output has it; empty: the stream that it goes to unless told
	form        format.Format
	compression output.Compression
}

// destinations are all places that the report goes to: files first, as whoever reads
// standard output may be slow, or end this program.
func (o *options) destinations() []destination {
	if len(o.outputs) == 0 {
		return []destination{o.destination("")}
	}
	var files, streams []destination
	for _, path := range o.outputs {
		if d := o.destination(path); d.isFile() {
			files = append(files, d)
		} else {
			streams = append(streams, d)
		}
	}
	return append(files, streams...)
}

// destination decides on one. The name of a file tells its form, if it does; of one
// file alone --format decides, where it is given.
func (o *options) destination(path string) destination {
	d := destination{path: path}
	compression, name := output.CompressionOf(path)
	d.compression = compression
	told, ok := formOf(name)
	if ok && !(len(o.outputs) == 1 && o.flags.Changed("format")) {
		d.form = told
	} else {
		d.form = format.Named(o.format)
	}
	if d.form.Compressed && compression == output.Plain && !slices.Contains(d.form.Extensions, filepath.Ext(path)) {
		d.compression = output.Gzip
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
func (o *options) namesTell() bool {
	return len(o.outputs) > 0 && !slices.ContainsFunc(o.outputs, func(path string) bool {
		_, name := output.CompressionOf(path)
		_, ok := formOf(name)
		return !ok
	})
}

// checkOutputs refuses files that would be written twice, and a --format that is for
// none of them.
func (o *options) checkOutputs() error {
	seen := map[string]bool{}
	if o.save != "" {
		seen[filepath.Clean(o.save)] = true
	}
	for _, path := range o.outputs {
		if clean := filepath.Clean(path); !seen[clean] {
			seen[clean] = true
			continue
		}
		if o.save != "" && filepath.Clean(path) == filepath.Clean(o.save) {
			return fmt.Errorf("--output and --save need a file each")
		}
		return fmt.Errorf("--output %s is given twice: each needs a file of its own", path)
	}
	if len(o.outputs) > 1 && o.has("format") && o.namesTell() {
		return fmt.Errorf("--format %s is for none of the files, whose names tell theirs: leave it out", o.format)
	}
	return nil
}

// isFile reports whether it is no stream of ours.
func (d *destination) isFile() bool { return d.path != "" && d.path != standardOutput }

// isPage reports whether it is a file that a browser shows.
func (d *destination) isPage() bool {
	return d.isFile() && d.form.Name == "html" && d.compression == output.Plain
}

// stream is where a report that goes to no file does.
func (c *call) stream(d *destination) (to *os.File, name string) {
	if len(c.command) > 0 && d.path != standardOutput {
		return c.Err, "error" // standard output is the program's
	}
	return c.Out, "output"
}

// options are what the report there looks like.
func (c *call) optionsOf(d *destination) words.Options {
	return words.Options{Color: c.colored(d.isFile()), ASCII: c.asciiOnly(d), Width: c.width(d), FoldIdle: c.system && c.merge}
}

// width is how many columns the terminal has to which the report goes, 0 where it goes
// elsewhere.
func (c *call) width(d *destination) int {
	to, _ := c.stream(d)
	if d.isFile() || !isTerminal(to) {
		return 0
	}
	return output.Width(to)
}

// colored decides by --color; fatih/color has looked at the terminal, NO_COLOR
// and TERM.
func (c *call) colored(inFile bool) bool {
	return c.color == "always" || c.color == "auto" && !color.NoColor && !inFile
}
