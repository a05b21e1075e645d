// Packages makes what Debian and Fedora install of a tree that scripts/release.sh has
// laid out as it is to stand below /: a .deb and an .rpm, under the names that are
// usual there, which it prints. The same tree gives the same packages.
//
//	packages -version 0.1 -arch amd64 -time SECONDS -o FOLDER TREE
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

func main() {
	var r release
	flag.StringVar(&r.version, "version", "", "`version` of the program")
	flag.StringVar(&r.arch, "arch", "", "`architecture`, as Go names it")
	seconds := flag.Int64("time", 0, "time of all that is in a package, in `seconds` since 1970")
	out := flag.String("o", ".", "`folder` to write to")
	flag.Parse()
	if flag.NArg() != 1 || r.version == "" || r.arch == "" {
		flag.Usage()
		os.Exit(2)
	}
	r.tree, r.time = flag.Arg(0), time.Unix(*seconds, 0).UTC()
	for _, kind := range []string{"deb", "rpm"} {
		path, err := r.write(kind, *out)
		if err != nil {
			fmt.Fprintf(os.Stderr, "packages: %s: %v\n", kind, err)
			os.Exit(1)
		}
		fmt.Println(path)
	}
}

// release is what is packed.
type release struct {
	version string
	arch    string    // as Go names it
	tree    string    // a folder that stands for /
	time    time.Time // of every file, and of the package
}

// write makes the package of a kind, "deb" or "rpm", in a folder, and returns its path.
func (r *release) write(kind, folder string) (string, error) {
	packager, err := nfpm.Get(kind)
	if err != nil {
		return "", err
	}
	info, err := r.describe(kind)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, packager.ConventionalFileName(info))
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	if err := packager.Package(info, file); err != nil {
		_ = file.Close() // the first error is the one that says what happened
		return "", err
	}
	return path, file.Close()
}

// describe returns what the package says of itself, and what is in it.
func (r *release) describe(kind string) (*nfpm.Info, error) {
	contents, err := contents(r.tree, kind, r.time)
	if err != nil {
		return nil, err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "stacksnap", Arch: r.arch, Platform: "linux", MTime: r.time,
		Version: r.version, VersionSchema: "none",
		Section: "utils", Priority: "optional",
		Maintainer: "the stacksnap authors", License: "MIT",
		Description:     "Prints where every thread of a process is\nA sampler of the stacks of live processes, which it stops for microseconds.\nIt reads core files, too.",
		DisableGlobbing: true,
	})
	info.Contents = contents
	info.RPM.BuildHost = "localhost" // else that of this machine
	return info, nfpm.PrepareForPackager(info, kind)
}
