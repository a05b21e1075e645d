package debugsymbols

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
)

// byCommands yields the paths that the programs in DBGShellCommands return.
func (f *Finder) byCommands(uuid string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, command := range f.preferences.dict["DBGShellCommands"].strings() {
			found, err := f.answer(command, uuid)
			if why := found["DBGError"].text; why != "" {
				err = errors.New(why)
			}
			if err != nil {
				f.warn("%s: %v", command, err)
			}
			for _, key := range []string{"DBGDSYMPath", "DBGSymbolRichExecutable"} {
				if path := found[key].text; filepath.IsAbs(path) && !yield(path) {
					return
				}
			}
		}
	}
}

// answer runs one program with the UUID as argument. The program prints a property
// list with a dictionary for each UUID; answer returns that of the wanted one.
func (f *Finder) answer(command, uuid string) (map[string]value, error) {
	if f.tell != nil {
		f.tell("asking " + filepath.Base(command) + " for the dSYM of " + uuid)
		defer f.tell("")
	}
	out, err := f.run(&f.commands, "/bin/sh", shell(command, uuid)...)
	if err != nil {
		return nil, err
	}
	list, err := parse(out)
	return list.dict[uuid].dict, err
}

// shell returns the arguments of a shell that runs a command, which may be a path
// with spaces, or a line with options.
func shell(command, uuid string) []string {
	line := command + ` "$1"`
	if _, err := os.Stat(command); err == nil {
		line = `"$0" "$1"`
	}
	return []string{"-c", line, command, uuid}
}
