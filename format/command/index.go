package command

import (
	"fmt"
	"runtime"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/out"
	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/images/debugfile/debuginfod"
	"stacksnap/images/debugfile/debugsymbols"
	"stacksnap/images/sharedcache"
)

// index returns the index of files with symbols: those below --symbols and --binaries, and
// those from debuginfod and other finders. It is made once a call; nil if there are none.
func (c *call) index() (*binaries.Index, error) {
	opensOnMac := runtime.GOOS == "darwin" && (c.Mode() == cli.ModeOpen || c.Mode() == cli.ModeDiff || c.byStackshots)
	asksMac := runtime.GOOS == "darwin" && c.Hang == 0 && c.Every == 0 // a watch has no time to wait
	if len(c.Symbols)+len(c.Binaries) == 0 && !c.Debuginfod && !asksMac && !c.byStackshots || c.indexed != nil {
		return c.indexed, nil
	}
	places := binaries.Places{Directories: c.Binaries, Symbols: c.Symbols}
	if opensOnMac {
		places.System = sharedcache.Directories()
	}
	if c.byStackshots {
		places.MachO = append(places.MachO, binaries.Mapped{})
	}
	if asksMac {
		places.MachO = append(places.MachO, debugsymbols.New(c.Getenv, c.overLine()))
	}
	if c.Debuginfod {
		servers, err := debuginfod.New(c.Getenv, c.overLine())
		if err != nil {
			return nil, err
		}
		places.ELF = append(places.ELF, servers)
	}
	var err error
	c.indexed, err = binaries.NewIndex(places)
	return c.indexed, err
}

// overLine returns a function that shows a line in place of the one before; nil if standard
// error is no terminal.
func (c *call) overLine() func(line string) {
	if !out.IsTerminal(c.Err) {
		return nil
	}
	return func(line string) {
		if !c.onScreen.Load() {
			fmt.Fprint(c.Err, "\r"+words.Printable(line)+"\x1b[K")
		}
	}
}

// remark prints the warnings about files that --symbols and --binaries named, such as
// those that match no image. Without a report it prints none.
func (c *call) remark() {
	if c.indexed == nil || !c.anyReported {
		return
	}
	for _, line := range c.indexed.Warnings() {
		out.Tell(c.Err, line)
	}
}

// note marks the images of a report as reported in the index.
func (c *call) note(list []*profile.Image) {
	c.anyReported = true
	for _, im := range list {
		if c.indexed != nil {
			c.indexed.Reported(im.ID)
		}
	}
}
