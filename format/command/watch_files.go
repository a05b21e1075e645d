package command

import (
	"context"
	"errors"
	"io"

	"stacksnap/format"
	"stacksnap/format/command/out"
	"stacksnap/format/output"
	"stacksnap/format/profile/hangreport"
)

// openCaptures opens the directory for the reports and recordings of a watch.
func (w *watcher) openCaptures() (*output.Captures, error) {
	folder, err := output.OpenFolder(w.Dir)
	if err != nil {
		return nil, err
	}
	files := &output.Captures{Reports: w.files(folder, w.extension()), Recordings: w.files(folder, "snap"), Instead: w.Out}
	if err := files.Prepare(); err != nil {
		return nil, errors.Join(err, files.Close())
	}
	return files, nil
}

// files returns the rotation of the files with one extension.
func (w *watcher) files(in *output.Folder, extension string) output.Rotation {
	return output.Rotation{Folder: in, Name: w.target.Name, PID: w.target.PID, Ext: extension, Keep: w.Keep}
}

// extension returns the extension of report files, without the dot.
func (w *watcher) extension() string {
	if format.Named(w.Format).Text {
		return "txt"
	}
	return w.Format
}

// keepFiles writes a report to a file of its own and runs --exec.
func (w *watcher) keepFiles(ctx context.Context, files *output.Captures, r *hangreport.Report) error {
	write := func(to io.Writer) error { return w.writeHang(to, r) }
	done, err := files.Add(r.Start, output.Recorded{Path: r.Recording, Err: r.SaveErr}, write)
	out.Tell(w.Err, done.Line)
	w.runHook(ctx, done, r)
	return err
}
