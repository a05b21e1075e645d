package command

import (
	"fmt"
	"path/filepath"
	"strings"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/out"
)

// reportNote returns a line that says where the report on a launched command goes. It is
// printed before the command starts. It is empty where standard error is no terminal and
// the report goes where one expects it: to a file, or as text to standard error.
func (c *call) reportNote() string {
	all := c.Destinations()
	last := &all[len(all)-1]
	switch {
	case last.Path == cli.StandardOutput:
		return "the report goes to standard output, after what the command writes there"
	case last.Path == "" && !last.Form.Text:
		return "the report goes to standard error, for standard output is the command's; -o FILE writes it to a file, -o - to standard output"
	case !out.IsTerminal(c.Err):
		return ""
	case last.Path == "":
		return "the report is shown here " + c.reportTime() + "; -o FILE writes it to a file"
	}
	var paths []string
	for i := range all {
		paths = append(paths, all[i].Path)
	}
	return "the report goes to " + strings.Join(paths, ", ") + " " + c.reportTime()
}

// reportTime says when the report on a launched command is written.
func (c *call) reportTime() string {
	end := "when " + filepath.Base(c.Command[0]) + " ends"
	switch {
	case c.Duration > 0:
		return fmt.Sprintf("after %v, or %s", c.Duration, end)
	case c.Count > 1:
		return fmt.Sprintf("after %d samples, or %s", c.Count, end)
	}
	return end
}
