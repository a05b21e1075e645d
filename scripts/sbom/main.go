// Sbom prints what a Go program is made of, as a CycloneDX 1.5 document in JSON
// (cyclonedx.org/docs/1.5/json): the program itself, the modules that its build
// information names, and the Go that it was built with. The same program gives the
// same document.
//
//	go run ./scripts/sbom PROGRAM
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

type document struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
	Depends    []depends   `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PackageURL string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type depends struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(w io.Writer, path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(b)
	program := component{
		Type: "application", Name: info.Main.Path, Version: known(info.Main.Version),
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
	}
	program.identify()
	for _, s := range info.Settings {
		program.Properties = append(program.Properties, property{"go:build:" + s.Key, s.Value})
	}
	d := document{"CycloneDX", "1.5", 1, metadata{program}, components(info), nil}
	all := depends{Ref: program.Ref, On: []string{}}
	for i := range d.Components {
		all.On = append(all.On, d.Components[i].Ref)
	}
	d.Depends = []depends{all}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

// components are the standard library and the modules, those that stand for others as
// themselves.
func components(info *debug.BuildInfo) []component {
	std := component{Type: "library", Name: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}
	std.identify()
	all := []component{std}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component{Type: "library", Name: m.Path, Version: m.Version}
		if m.Sum != "" {
			c.Properties = []property{{"go:sum", m.Sum}}
		}
		c.identify()
		all = append(all, c)
	}
	return all
}

// known leaves out the version of what was built in a work tree.
func known(version string) string {
	if version == "(devel)" {
		return ""
	}
	return version
}

// identify sets the package URL (github.com/package-url/purl-spec, type golang), which
// is unique in a document.
func (c *component) identify() {
	c.PackageURL = "pkg:golang/" + c.Name
	if c.Version != "" {
		c.PackageURL += "@" + strings.ReplaceAll(c.Version, "+", "%2B")
	}
	c.Ref = c.PackageURL
}
