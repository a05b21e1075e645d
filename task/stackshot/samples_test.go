package stackshot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"stacksnap/task/needs"
	"stacksnap/task/stackshot/kcdata"
)

// samples is where stackshots of Apple's kernels are, each with the property list that
// Apple's own decoder makes of it. They are not ours to copy.
const samples = "../../../../shared/stackshots"

// eachSample calls test for each.
func eachSample(t *testing.T, test func(t *testing.T, name string, data []byte)) {
	found, _ := filepath.Glob(findSamples() + "/*")
	tested := 0
	for _, name := range found {
		if strings.Contains(filepath.Base(name), ".plist") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tested++
		t.Run(filepath.Base(name), func(t *testing.T) { test(t, name, data) })
	}
	if tested == 0 {
		needs.Skip(t, "../shared/stackshots", "no samples in "+samples)
	}
}

// findSamples is the folder of the samples, also for a work tree elsewhere.
func findSamples() string {
	if _, err := os.Stat(samples); err != nil {
		return "/work/shared/stackshots"
	}
	return samples
}

// TestSamplesDecode compares every field of every sample with the property list, in
// both directions: each of these is decoded to the same, and nothing else is.
func TestSamplesDecode(t *testing.T) {
	eachSample(t, func(t *testing.T, name string, data []byte) {
		list := name + ".plist.gz"
		if _, err := os.Stat(list); err != nil {
			list = name + ".plist"
		}
		want := readPlist(t, list)
		got, unknown := decoded(t, data)
		c := comparison{t: t}
		c.compare("", want, got)
		if c.types != unknown {
			t.Errorf("%d items of unknown types, the list has %d", unknown, c.types)
		}
		t.Logf("%d values", c.values)
		if c.values == 0 {
			t.Error("nothing was compared")
		}
	})
}

// decoded is what a sample is decoded to, in the form of the property list.
func decoded(t *testing.T, data []byte) (any, int) {
	shots, err := Read(strings.NewReader(string(data)))
	if err == nil {
		if len(shots) != 1 || shots[0].Cut != nil || shots[0].Bad != 0 {
			t.Fatalf("%d stackshots; %d bad, %v", len(shots), shots[0].Bad, shots[0].Cut)
		}
		root := "kcdata_stackshot"
		if shots[0].Delta {
			root = "kcdata_delta_stackshot"
		}
		return map[string]any{root: tree(reflect.ValueOf(shots[0]).Elem())}, shots[0].Unknown
	}
	var c *CrashError
	if !errors.As(err, &c) || c.Bad != 0 || c.Cut != nil {
		t.Fatalf("%v; %+v", err, c)
	}
	return map[string]any{"kcdata_crashinfo": tree(reflect.ValueOf(c.Crash).Elem())}, c.Unknown
}

// tree makes of a value what the property list would have.
func tree(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		return tree(v.Elem())
	case reflect.Struct:
		return fields(v)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Array && v.Type().Elem().Kind() == reflect.Uint8 && v.Len() != 16 {
			return kcdata.Text(v.Bytes()) // the name of something
		}
		list := []any{}
		for i := range v.Len() {
			list = append(list, tree(v.Index(i)))
		}
		return list
	case reflect.String:
		return v.String()
	}
	return number10(fmt.Sprint(v.Interface()))
}

// fields makes a dictionary of a structure, by its tags.
func fields(v reflect.Value) map[string]any {
	dict := map[string]any{}
	for i := range v.NumField() {
		name, what, _ := strings.Cut(v.Type().Field(i).Tag.Get("kcdata"), ",")
		f := v.Field(i)
		switch {
		case name == "" && what == "" || what == "id" || f.Kind() == reflect.Pointer && f.IsNil() || f.Kind() == reflect.Slice && f.Len() == 0 || f.Kind() == reflect.String && f.Len() == 0:
		case what == "merge":
			for k, v := range tree(f).(map[string]any) {
				dict[k] = v
			}
		case what == "facts":
			for _, fact := range f.Interface().([]Fact) {
				dict[fact.Name] = number10(fmt.Sprint(fact.Value))
			}
		case what == "inside":
			dict["kcdata_crashinfo"] = tree(f.Index(0))
		case byID(f):
			dict[name] = numbered(f)
		default:
			dict[name] = tree(f)
		}
	}
	return dict
}

// byID reports whether a list is one of containers, which have numbers.
func byID(f reflect.Value) bool {
	if f.Kind() != reflect.Slice || f.Type().Elem().Kind() != reflect.Struct {
		return false
	}
	first := f.Type().Elem().Field(0)
	return first.Tag.Get("kcdata") == ",id"
}

func numbered(f reflect.Value) any {
	dict := map[string]any{}
	for i := range f.Len() {
		dict[fmt.Sprint(f.Index(i).Field(0).Interface())] = tree(f.Index(i))
	}
	return dict
}

// comparison counts what was compared.
type comparison struct {
	t      *testing.T
	values int
	types  int // items that the property list has by a number alone, or that a Crash leaves out
}

func (c *comparison) compare(at string, want, got any) {
	switch want := want.(type) {
	case map[string]any:
		dict, ok := got.(map[string]any)
		if !ok {
			c.t.Errorf("%s: %v, want a dictionary", at, got)
			return
		}
		c.dict(at, want, dict)
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			c.t.Errorf("%s: %v, want %d elements", at, got, len(want))
			return
		}
		for i := range want {
			c.compare(fmt.Sprintf("%s[%d]", at, i), want[i], list[i])
		}
	default:
		c.values++
		if want != got {
			c.t.Errorf("%s: %#v, want %#v", at, got, want)
		}
	}
}

func (c *comparison) dict(at string, want, got map[string]any) {
	for _, k := range keys(want) {
		if strings.HasPrefix(k, "Type_0x") {
			c.types++
			continue
		}
		if strings.HasSuffix(at, "/kcdata_crashinfo") && !isReadOfCrash(k) {
			c.types++ // counted as unknown
			continue
		}
		if _, ok := got[k]; !ok {
			c.t.Errorf("%s/%s is missing", at, k)
			continue
		}
		c.compare(at+"/"+k, want[k], got[k])
	}
	for _, k := range keys(got) {
		// A structure may be of a version that has fewer fields: they are zero.
		if _, ok := want[k]; !ok && got[k] != number10("0") {
			c.t.Errorf("%s/%s: %v, want nothing", at, k, got[k])
		}
	}
}

// isReadOfCrash reports whether [Crash] has an item.
func isReadOfCrash(name string) bool {
	all := reflect.TypeFor[Crash]()
	for i := range all.NumField() {
		if tag, what, _ := strings.Cut(all.Field(i).Tag.Get("kcdata"), ","); tag == name || what == "inside" && name == "kcdata_crashinfo" {
			return true
		}
	}
	return false
}

func keys(m map[string]any) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	sort.Strings(all)
	return all
}
