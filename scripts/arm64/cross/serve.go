package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tools are what a guest may call, as the host has them.
var tools = map[string]string{
	"gcc":     "aarch64-linux-gnu-gcc",
	"objcopy": "aarch64-linux-gnu-objcopy",
	"strip":   "aarch64-linux-gnu-strip",
	"go":      "go",
}

// serve listens until the guest, which is the one caller, has gone.
func serve(socket string) error {
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	defer l.Close()
	guest, err := l.Accept()
	if err != nil {
		return err
	}
	defer guest.Close()
	calls := bufio.NewReader(guest)
	for {
		line, err := calls.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var c call
		if json.Unmarshal(line, &c) != nil {
			continue // of a caller that was killed
		}
		if err := json.NewEncoder(guest).Encode(handle(c)); err != nil {
			return err
		}
	}
}

// handle runs a call in a folder of its own.
func handle(c call) answer {
	root, err := os.MkdirTemp("", "cross")
	if err != nil {
		return answer{ID: c.ID, Code: 1, Output: []byte(err.Error() + "\n")}
	}
	defer os.RemoveAll(root)
	a, err := perform(c, root)
	a.ID = c.ID
	if err != nil {
		a.Code = 1
		a.Output = append(a.Output, "cross: "+err.Error()+"\n"...)
	}
	return a
}

// perform runs a call with the guest's files below root, and brings back what it
// changed there.
func perform(c call, root string) (answer, error) {
	if len(c.Args) == 0 || tools[c.Args[0]] == "" {
		return answer{}, fmt.Errorf("no tool for %q", c.Args)
	}
	for path, f := range c.Files {
		if err := writeFile(root+path, f); err != nil {
			return answer{}, err
		}
	}
	args, err := placed(c.Args[1:], root)
	if err != nil {
		return answer{}, err
	}
	cmd := exec.Command(tools[c.Args[0]], args...)
	cmd.Dir = c.Dir
	if _, err := os.Stat(c.Dir); err != nil { // of the guest's own
		cmd.Dir = root + c.Dir
	}
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CC="+tools["gcc"], "CGO_ENABLED="+c.Cgo)
	if c.Args[0] == "gcc" { // debug information names files as the guest does
		cmd.Args = append(cmd.Args, "-ffile-prefix-map="+root+"=")
	}
	var a answer
	var ended *exec.ExitError
	a.Output, err = cmd.CombinedOutput()
	a.Code = cmd.ProcessState.ExitCode()
	if err != nil && !errors.As(err, &ended) {
		return a, err
	}
	a.Files, err = changed(root, c.Files)
	return a, err
}

// placed gives the guest's paths among arguments their place below root, and makes
// the folders for what is to be written there.
func placed(args []string, root string) ([]string, error) {
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = arg
		path, ok := ofGuest(arg)
		if !ok {
			continue
		}
		out[i] = strings.TrimSuffix(arg, path) + root + path
		if err := os.MkdirAll(filepath.Dir(root+path), 0o755); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// changed returns the files below root that are not as they were, by the guest's
// paths.
func changed(root string, before map[string]file) (map[string]file, error) {
	files := make(map[string]file)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := readFile(path)
		name := strings.TrimPrefix(path, root)
		if old, ok := before[name]; !ok || !bytes.Equal(old.Data, f.Data) {
			files[name] = f
		}
		return err
	})
	return files, err
}
