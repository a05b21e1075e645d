package jsondoc

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/format/internal/golden"
	"stacksnap/task"
	"stacksnap/unwind"
)

// keys is an object of JSON whose keys come out in order.
type keys map[string]any

// allowed are the words that a key's text is one of, by type and key; those of a key
// that is left out for the empty text have no such word.
func allowed() map[string][]string {
	var arches, states, methods, reasons []string
	for a := range task.ARM + 1 {
		arches = append(arches, a.String())
	}
	for s := range task.Ended + 1 {
		states = append(states, s.String())
	}
	for m := unwind.Method(0); m.String() != "unknown"; m++ {
		methods = append(methods, m.String())
	}
	for r := unwind.Bottom + 1; r.String() != "unknown"; r++ {
		reasons = append(reasons, r.String())
	}
	return map[string][]string{
		"target.arch": arches, "image.arch": arches, "target.os": {"darwin", "linux"},
		"thread.state": states, "together.state": states, "node.by": methods, "cut.reason": reasons,
		"wait.lock":     {"mutex", "rwlock", "unfair lock", "file lock", "queue", "one-time call", "thread", "kernel mutex", "kernel rwlock", "kernel lock", "GIL"},
		"thread.qos":    {"maintenance", "background", "utility", "default", "user-initiated", "user-interactive"},
		"peer.act":      {"write", "read", "end", "release", "reply"},
		"stalled.state": {"connecting", "not accepted", "not taken", "silent", "unread"},
		"together.by":   {"queue", "process", "state"}, "view.by": {"queue", "process", "state"},
		"hang.reason": {"hang", "periodic", "deadlock"},
		"hang.kind":   {"busy", "blocked", "starved of a processor", "busy and blocked in turns"},
	}
}

// schemaOf describes the type of a value, and in defs the structs in it.
func schemaOf(t reflect.Type, defs keys) keys {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), defs)
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return keys{"type": "string", "format": "date-time"}
		}
		name := public(t)
		if defs[name] == nil {
			defs[name] = keys{} // it may have itself in it
			defs[name] = describe(t, defs)
		}
		return keys{"$ref": "#/$defs/" + name}
	case reflect.Slice:
		return keys{"type": "array", "items": schemaOf(t.Elem(), defs)}
	case reflect.Map:
		return keys{"type": "object", "additionalProperties": schemaOf(t.Elem(), defs)}
	case reflect.String:
		return keys{"type": "string"}
	case reflect.Bool:
		return keys{"type": "boolean"}
	case reflect.Float64:
		return keys{"type": "number"}
	case reflect.Uint32, reflect.Uint64:
		return keys{"type": "integer", "minimum": 0}
	default:
		return keys{"type": "integer"}
	}
}

// public is the name of a struct in the schema.
func public(t reflect.Type) string {
	return strings.ToLower(strings.TrimPrefix(t.Name(), "json"))
}

// describe describes a struct: its keys, and those that are always there.
func describe(t reflect.Type, defs keys) keys {
	properties, required := keys{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		tag, ok := f.Tag.Lookup("json")
		if !ok {
			continue // embedded: its fields are visible
		}
		key, options, _ := strings.Cut(tag, ",")
		of := schemaOf(f.Type, defs)
		holder := public(t)
		if len(f.Index) > 1 {
			holder = public(t.Field(f.Index[0]).Type)
		}
		if words := allowed()[holder+"."+key]; words != nil {
			of = keys{"enum": words}
		}
		if f.Type.Kind() == reflect.String && (strings.HasSuffix(key, "address") || key == "need" || key == "slide") {
			of = keys{"type": "string", "pattern": "^0x[0-9a-f]+$"}
		}
		properties[key] = of
		if options == "" {
			required = append(required, key)
		}
	}
	slices.Sort(required)
	return keys{"type": "object", "properties": properties, "required": required}
}

// schema is the schema of all documents. What it says of names is in JSON.md.
func schema() keys {
	defs := keys{}
	var any []keys
	for _, d := range []struct {
		of      reflect.Type
		name    string
		version int
	}{
		{reflect.TypeFor[jsonDocument](), jsonSchema, jsonVersion},
		{reflect.TypeFor[jsonGroup](), groupSchema, groupVersion},
		{reflect.TypeFor[jsonHang](), hangSchema, hangVersion},
		{reflect.TypeFor[jsonDiff](), diffSchema, diffVersion},
	} {
		any = append(any, schemaOf(d.of, defs))
		properties := defs[public(d.of)].(keys)["properties"].(keys)
		properties["schema"], properties["version"] = keys{"const": d.name}, keys{"const": d.version}
	}
	return keys{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "stacksnap's JSON",
		"description": "JSON.md says what the keys mean. New ones may appear in the same version.",
		"oneOf":       any, "$defs": defs,
	}
}

// TestSchema holds schema.json against what is written. scripts/jsonschema holds
// documents against schema.json.
func TestSchema(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(schema()); err != nil {
		t.Fatal(err)
	}
	if *golden.Update {
		if err := os.WriteFile("schema.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	is, err := os.ReadFile("schema.json")
	if err != nil || !bytes.Equal(is, b.Bytes()) {
		t.Errorf("schema.json is not that of what is written (%v): go test ./format/jsondoc -run Schema -update, and tell it in JSON.md", err)
	}
}

// TestSchemaIsTold: each key is in JSON.md, and each word that a text is one of.
func TestSchemaIsTold(t *testing.T) {
	b, err := os.ReadFile("JSON.md")
	if err != nil {
		t.Fatal(err)
	}
	told := string(b)
	for name, def := range schema()["$defs"].(keys) {
		for key := range def.(keys)["properties"].(keys) {
			if !strings.Contains(told, "`"+key+"`") {
				t.Errorf("%s: JSON.md has no `%s`", name, key)
			}
		}
	}
	for key, words := range allowed() {
		for _, word := range words {
			if !strings.Contains(told, "`"+word+"`") && !strings.Contains(told, "`"+strings.ReplaceAll(word, " ", "\n")+"`") {
				t.Errorf("%s: JSON.md has no `%s`", key, word)
			}
		}
	}
}
