package main

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2/files"
)

// contents lists what a package of a kind has of a tree: its files, and the folders
// that are the package's own. All of it is root's.
func contents(tree, kind string, at time.Time) (all files.Contents, err error) {
	err = filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(tree, path)
		if err != nil || d.IsDir() && !listed(name, kind) {
			return err
		}
		c := &files.Content{
			Source: path, Destination: "/" + place(name, kind), Type: files.TypeFile,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: 0o644, MTime: at},
		}
		info, err := d.Info()
		switch {
		case err != nil:
			return err
		case d.IsDir():
			c.Type, c.FileInfo.Mode = files.TypeDir, 0o755
		case info.Mode()&0o100 != 0:
			c.FileInfo.Mode = 0o755
		}
		all = append(all, c)
		return nil
	})
	return all, err
}

// listed reports whether a package lists a folder: an .rpm those that are no other
// package's, which removing it leaves behind else. dpkg removes what is empty.
func listed(folder, kind string) bool {
	return kind == "rpm" && slices.Contains(strings.Split(filepath.ToSlash(folder), "/"), "stacksnap")
}

// place returns where a kind of package has what stands at name in the tree, which is
// laid out as Fedora has it.
func place(name, kind string) string {
	if kind != "deb" {
		return name
	}
	return strings.NewReplacer(
		"usr/share/zsh/site-functions", "usr/share/zsh/vendor-completions",
		"usr/share/licenses/stacksnap/LICENSE", "usr/share/doc/stacksnap/copyright",
	).Replace(name)
}
