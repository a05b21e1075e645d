// Package jsonschema holds documents that stacksnap writes against its schema,
// format/jsondoc/schema.json, by a validator that is not ours.
package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const format = "../../format"

// compile reads the schema. A strict one refuses keys that it does not tell of, which
// others are to pass over.
func compile(t *testing.T, strict bool) *jsonschema.Schema {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(format, "jsondoc", "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if strict {
		for _, def := range doc.(map[string]any)["$defs"].(map[string]any) {
			def.(map[string]any)["additionalProperties"] = false
		}
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// documents reads a file that has one, or one a line.
func documents(t *testing.T, path string) (docs []any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(b)); d.More(); {
		d.UseNumber()
		var doc any
		if err := d.Decode(&doc); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		docs = append(docs, doc)
	}
	return docs
}

func valid(t *testing.T, s *jsonschema.Schema, path string) {
	t.Helper()
	docs := documents(t, path)
	for i, doc := range docs {
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s, document %d: %v", path, i, err)
		}
	}
	if len(docs) == 0 {
		t.Errorf("%s is empty", path)
	}
}

// golden are the documents of the tests.
func golden(t *testing.T) (paths []string) {
	t.Helper()
	all, _ := filepath.Glob(filepath.Join(format, "testdata", "*.json*"))
	ofFormats, _ := filepath.Glob(filepath.Join(format, "testdata", "formats", "*.json*"))
	for _, path := range append(all, ofFormats...) {
		if !strings.HasSuffix(path, ".speedscope.json") && !strings.HasSuffix(path, ".profile.json") && !strings.HasSuffix(path, ".trace.json") {
			paths = append(paths, path)
		}
	}
	if len(paths) < 16 {
		t.Fatalf("only %d documents: %v", len(paths), paths)
	}
	return paths
}

func TestGolden(t *testing.T) {
	strict := compile(t, true)
	for _, path := range golden(t) {
		valid(t, strict, path)
	}
}

// TestBroken refuses documents of which anything is missing that is always there, and
// has something of another kind.
func TestBroken(t *testing.T) {
	s := compile(t, false)
	for _, path := range golden(t) {
		for _, doc := range documents(t, path) {
			root := doc.(map[string]any)
			for _, key := range []string{"schema", "version", "tool"} {
				if key == "tool" && root["schema"] == "stacksnap.hang" {
					continue // its profile has it
				}
				broken(t, s, path, root, key)
			}
			if root["schema"] != "stacksnap.profile" {
				continue
			}
			for _, key := range []string{"target", "threads", "images", "notes", "snapshots"} {
				broken(t, s, path, root, key)
			}
			for _, thread := range root["threads"].([]any) {
				for _, key := range []string{"id", "state", "nodes"} {
					brokenWithin(t, s, path, root, thread.(map[string]any), key)
				}
			}
		}
	}
}

// broken takes a key away, and gives it another kind of value.
func broken(t *testing.T, s *jsonschema.Schema, path string, root map[string]any, key string) {
	t.Helper()
	brokenWithin(t, s, path, root, root, key)
}

func brokenWithin(t *testing.T, s *jsonschema.Schema, path string, root, at map[string]any, key string) {
	t.Helper()
	was, ok := at[key]
	if !ok {
		t.Errorf("%s has no %s", path, key)
		return
	}
	delete(at, key)
	if s.Validate(root) == nil {
		t.Errorf("%s is valid without %s", path, key)
	}
	at[key] = map[string]any{"another": true}
	if s.Validate(root) == nil {
		t.Errorf("%s is valid with another %s", path, key)
	}
	at[key] = was
	if err := s.Validate(root); err != nil {
		t.Errorf("%s: %v", path, err)
	}
}

// built builds the program into a folder.
func built(t *testing.T, dir string) string {
	t.Helper()
	program := filepath.Join(dir, "stacksnap")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestWritten holds what the program writes of programs of this system.
func TestWritten(t *testing.T) {
	dir := t.TempDir()
	stacksnap := built(t, dir)
	strict := compile(t, true)
	saved := filepath.Join(dir, "it.snap")
	for name, args := range map[string]string{
		"sampled":   "-i 5ms --save " + saved + " -f json",
		"inverted":  "--invert --min 2% --fold-recursion -f json",
		"children":  "--children -f jsonl",
		"by":        "--by state --focus . -f json",
		"by_queue":  "--by queue -f json",
		"merged":    "--merge --no-inlines -f json",
		"depth":     "--depth 2 --ignore nothing --hide nothing -f json",
		"no_stop":   "--no-stop -f json",
		"raw_names": "--no-demangle -f json",
	} {
		path := filepath.Join(dir, name+".out")
		call := append(strings.Fields(args), "-o", path, "--", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 0.1; exec sleep 0.1")
		if out, err := exec.Command(stacksnap, call...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
			continue
		}
		valid(t, strict, path)
	}
	path := filepath.Join(dir, "opened.out")
	if out, err := exec.Command(stacksnap, saved, "-f", "json", "-o", path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	valid(t, strict, path)
	path = filepath.Join(dir, "diff.out")
	if out, err := exec.Command(stacksnap, "diff", saved, saved, "-f", "json", "-o", path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	valid(t, strict, path)
}

// TestWatched holds what a watch writes, and what is written of several processes.
func TestWatched(t *testing.T) {
	dir := t.TempDir()
	stacksnap := built(t, dir)
	strict := compile(t, true)
	target := exec.Command("sh", "-c", "sleep 600 & child=$!; trap 'kill $child' EXIT; echo ready; read line")
	in, err := target.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := target.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = target.Wait() })
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	pid := strconv.Itoa(target.Process.Pid)
	for name, args := range map[string]string{
		"tree": "-p " + pid + " --tree -f json", "lines": "-p " + pid + " --tree -f jsonl", "watch": "-p " + pid + " --every 10ms -n 2 -f json",
	} {
		cmd := exec.Command(stacksnap, strings.Fields(args)...)
		said, err := cmd.Output()
		if cmd.ProcessState.ExitCode() == 4 {
			t.Skip("needs ptrace: this user may not read other processes")
		}
		path := filepath.Join(dir, name)
		if err = errors.Join(err, os.WriteFile(path, said, 0o600)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		valid(t, strict, path)
	}
}
