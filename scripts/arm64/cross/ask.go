package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
)

const (
	// port is the guest's end: the first port of the first virtio serial device.
	port = "/dev/vport0p1"
	// turn is locked by who uses the port, which only one at a time may open.
	turn = "/run/cross.lock"
)

// ask has the host run a tool, and ends as it did.
func ask(tool string, args []string) error {
	c := call{ID: os.Getpid(), Args: append([]string{tool}, args...), Cgo: os.Getenv("CGO_ENABLED")}
	var err error
	if c.Dir, err = os.Getwd(); err != nil {
		return err
	}
	if c.Files, err = namedFiles(args); err != nil {
		return err
	}
	a, err := exchange(c)
	if err != nil {
		return err
	}
	for path, f := range a.Files {
		if err := writeFile(path, f); err != nil {
			return err
		}
	}
	_, _ = os.Stderr.Write(a.Output)
	os.Exit(a.Code)
	return nil
}

// exchange sends a call and waits for its answer.
func exchange(c call) (answer, error) {
	var a answer
	lock, err := os.Create(turn)
	if err != nil {
		return a, err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return a, err
	}
	p, err := os.OpenFile(port, os.O_RDWR, 0)
	if err != nil {
		return a, err
	}
	defer p.Close()
	line, err := json.Marshal(c)
	if err != nil {
		return a, err
	}
	// The first line break ends what a killed caller may have left.
	if _, err := fmt.Fprintf(p, "\n%s\n", line); err != nil {
		return a, err
	}
	answers := bufio.NewReader(p)
	for {
		line, err := answers.ReadBytes('\n')
		if err != nil {
			return a, fmt.Errorf("no answer from the host: %w", err)
		}
		if json.Unmarshal(line, &a) == nil && a.ID == c.ID {
			return a, nil
		}
	}
}

// namedFiles reads the files, and those in the folders, that arguments name and
// that the host does not have.
func namedFiles(args []string) (map[string]file, error) {
	files := make(map[string]file)
	for _, arg := range args {
		path, ok := ofGuest(arg)
		if !ok {
			continue
		}
		err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // what is to be made
			}
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			f, err := readFile(path)
			files[path] = f
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

var pathArgument = regexp.MustCompile(`^(?:-L|-I|--[a-z-]+=)?(/(?:tmp|lib)/.*)$`)

// ofGuest returns the path that an argument names, if only the guest has it.
func ofGuest(arg string) (string, bool) {
	m := pathArgument.FindStringSubmatch(arg)
	if m == nil {
		return "", false
	}
	return m[1], true
}

func readFile(path string) (file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return file{}, err
	}
	data, err := os.ReadFile(path)
	return file{info.Mode().Perm(), data}, err
}

func writeFile(path string, f file) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, f.Data, f.Mode)
}
