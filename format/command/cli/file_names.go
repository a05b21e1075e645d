package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"stacksnap/format/output"
)

// recordingExtension is the extension of recordings.
const recordingExtension = ".snap"

// plainExtensions returns extensions that are valid for files of any format.
func plainExtensions() []string { return []string{".txt", ".log"} }

// takeRecording moves a file with the name of a recording from --output to --save.
func (o *Options) takeRecording() error {
	at := slices.IndexFunc(o.outputs, isRecordingName)
	if at < 0 {
		return nil
	}
	path := o.outputs[at]
	if o.outputs = slices.Delete(o.outputs, at, at+1); o.Save != "" || slices.ContainsFunc(o.outputs, isRecordingName) {
		return UsageError{Err: fmt.Errorf("%s is a recording, and there is one alone: give one, by --save or -o", path)}
	}
	o.savedBy = "-o " + path
	o.flags.Lookup("output").Changed = len(o.outputs) > 0
	return o.flags.Set("save", path)
}

func isRecordingName(path string) bool { return strings.HasSuffix(path, recordingExtension) }

// checkNames returns an error if the name of an output file is that of another kind of file.
func (o *Options) checkNames() error {
	d, isReport := formOf(o.Save)
	kind := d.Name
	if slices.Contains(plainExtensions(), filepath.Ext(o.Save)) {
		kind, isReport = "a text", true
	}
	if isReport {
		return fmt.Errorf("--save makes a recording, and %s is a name of %s: give -o %s for that, and --save a name such as it%s", o.Save, kind, o.Save, recordingExtension)
	}
	for _, path := range o.outputs {
		if err := o.checkExtension(path); err != nil {
			return err
		}
	}
	return nil
}

// checkExtension returns an error if no format has the file name's extension and --format is
// not given: the user did not mean a text.
func (o *Options) checkExtension(path string) error {
	_, name := output.CompressionOf(path)
	extension := extensionOf(name)
	if _, ok := formOf(name); ok || extension == "" || o.IsSet("format") || slices.Contains(plainExtensions(), extension) {
		return nil
	}
	return fmt.Errorf("no format is known by %s, as in %s: names end in %s or %s; or give --format, or for a recording %s",
		extension, path, extensions(), plainExtensions()[0], recordingExtension)
}

// CheckReportName returns an error if a report may not have that file name.
func (o *Options) CheckReportName(path string) error {
	if isRecordingName(path) {
		return fmt.Errorf("%s is the name of a recording, and this is a report: names end in %s or %s", path, extensions(), plainExtensions()[0])
	}
	return o.checkExtension(path)
}

// extensionOf returns the extension of a file name, with the dot. It is empty if no letter
// follows the dot, as in core.4711, and for hidden files such as .profile.
func extensionOf(path string) string {
	name := filepath.Base(path)
	extension := filepath.Ext(name)
	if extension == name || len(extension) < 2 || !isLetter(extension[1]) {
		return ""
	}
	return extension
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
