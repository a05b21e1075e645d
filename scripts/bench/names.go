//go:build linux

package main

import (
	"bufio"
	stdelf "debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"stacksnap/images/elf"
)

// maxNamed is how many files of the system are read where none are named.
const maxNamed = 400

// names measures how long it takes until each of some places in the code of files is
// named, with its file, line and inlined calls, and what memory that needs: by a
// program that begins anew each time, and by llvm-symbolizer.
func names(runs int, numbers, files []string) error {
	if len(files) == 0 {
		files = libraries()
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Printf("%-8s %-8s %-22s %12s %12s %8s\n", "files", "places", "tool", "wall min", "median", "MB")
	for _, number := range numbers {
		n, err := strconv.Atoi(number)
		if err != nil {
			return err
		}
		places, used := placesIn(files, n)
		for _, tool := range [][]string{{self, "-resolve"}, {"llvm-symbolizer"}} {
			if _, err := exec.LookPath(tool[0]); err != nil {
				continue
			}
			if err := nameBy(tool, runs, used, places); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameBy has one tool name the places again and again and prints its line.
func nameBy(tool []string, runs, files int, places []string) error {
	var walls []time.Duration
	var most int64
	for range runs {
		cmd := exec.Command(tool[0], tool[1:]...)
		cmd.Stdin, cmd.Stdout = strings.NewReader(strings.Join(places, "")), io.Discard
		begin := time.Now()
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", tool[0], err)
		}
		walls = append(walls, time.Since(begin))
		most = max(most, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	}
	fmt.Printf("%-8d %-8d %-22s %12s %12s %8d\n", files, len(places), filepath.Base(tool[0]), text(walls, 0), text(walls, len(walls)/2), most>>10)
	return nil
}

// libraries lists libraries of this system, each once.
func libraries() (list []string) {
	all, _ := filepath.Glob("/usr/lib/*/lib*.so*")
	seen := map[string]bool{}
	for _, name := range all {
		name, err := filepath.EvalSymlinks(name)
		if err == nil && !seen[name] && elf.IsFile(name) && len(list) < maxNamed {
			seen[name] = true
			list = append(list, name)
		}
	}
	return list
}

// placesIn spreads n places evenly over the code of the files, as lines of a file and
// an address, and tells in how many files they are.
func placesIn(files []string, n int) (places []string, used int) {
	for i, name := range files {
		of := n*(i+1)/len(files) - n*i/len(files)
		f, err := stdelf.Open(name)
		if err != nil {
			continue
		}
		code := f.Section(".text")
		_ = f.Close() // it was only read
		if code == nil || of == 0 {
			continue
		}
		used++
		for k := range uint64(of) {
			places = append(places, fmt.Sprintf("%s 0x%x\n", name, code.Addr+code.Size/uint64(2*of)*(2*k+1)))
		}
	}
	return places, used
}

// resolve names the places that it reads, as the program would: each file is opened
// when a place is the first in it, and stays open.
func resolve(in io.Reader, to io.Writer) error {
	out := bufio.NewWriter(to)
	opened := map[string]*elf.File{}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		name, place, _ := strings.Cut(lines.Text(), " ")
		at, err := strconv.ParseUint(place, 0, 64)
		if err != nil {
			return err
		}
		if opened[name] == nil {
			if opened[name], err = openNamed(name); err != nil {
				return err
			}
		}
		s, _ := opened[name].Symbol(at)
		fmt.Fprintln(out, s.Name)
		for _, source := range opened[name].Source(at) {
			fmt.Fprintln(out, source.Function, source.File, source.Line)
		}
	}
	return out.Flush()
}

func openNamed(name string) (*elf.File, error) {
	r, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := r.Stat()
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	f, err := elf.NewFile(r, info.Size())
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	(&elf.Loader{Roots: []string{"/"}}).Prepare(f, name)
	return f, nil
}
