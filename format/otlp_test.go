package format

import (
	"bytes"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hang"
)

// TestOTLPGolden: as the reader of OpenTelemetry's Collector has checked it (scripts/otlp).
func TestOTLPGolden(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"linux.otlp": linux(), "darwin.otlp": darwin(), "sampled.otlp": sampled(), "hostile.otlp": hostile()} {
		t.Run(name, func(t *testing.T) { checkGolden(t, name, written(t, OTLP(Options{}), p)) })
	}
}

// otlpCounts are the samples by function, as countsBy has them, read by hand.
func otlpCounts(t *testing.T, document []byte) counts {
	t.Helper()
	tables := fieldsOf(t, fieldsOf(t, document)[otlpDictionary][0])
	text := func(i uint64) string { return string(tables[otlpStrings][i]) }
	numbers := func(m []byte) []uint64 {
		v := make([]uint64, 8)
		if err := numbersOf(m, v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	names := func(location []byte) (list []string) {
		for _, line := range fieldsOf(t, location)[3] {
			list = append(list, text(numbers(tables[otlpFunctions][numbers(line)[1]])[1]))
		}
		return list
	}
	c := counts{}
	for _, resource := range fieldsOf(t, document)[otlpResourceProfiles] {
		samples := fieldsOf(t, fieldsOf(t, resource)[otlpScopeProfiles][0])[otlpProfile][0]
		for _, s := range fieldsOf(t, samples)[otlpSample] {
			value := packedOf(t, s, 4)[0]
			var self string
			on := map[string]bool{}
			for i, at := range packedOf(t, tables[otlpStacks][numbers(s)[1]], 1) {
				for k, name := range names(tables[otlpLocations][at]) {
					if on[name] = true; i == 0 && k == 0 {
						self = name
					}
				}
			}
			c.add(self, on, int64(value))
		}
	}
	return c
}

// fieldsOf are the messages and texts in a message, by field.
func fieldsOf(t *testing.T, m []byte) map[int][][]byte {
	t.Helper()
	all := map[int][][]byte{}
	err := eachField(m, func(f pprofField) error {
		if f.isText {
			all[f.number] = append(all[f.number], f.bytes)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func packedOf(t *testing.T, m []byte, number int) (list []uint64) {
	t.Helper()
	err := eachField(m, func(f pprofField) (err error) {
		if f.number == number {
			list, err = f.numbers(list)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestOTLPCounts: all samples are there, by the functions that they were in.
func TestOTLPCounts(t *testing.T) {
	for kind, make := range profiles {
		p := make()
		want := ownCounts(p)
		if got := otlpCounts(t, written(t, OTLP(Options{}), p)); gocmp.Diff(want, got) != "" {
			t.Errorf("%s (-want +got):\n%s", kind, gocmp.Diff(want, got))
		}
	}
}

// TestOTLPGroup has a resource for each process, and one set of tables.
func TestOTLPGroup(t *testing.T) {
	g := &profile.Group{Tool: "stacksnap 1.0", Profiles: []*profile.Profile{sampled(), darwin(), linux()}}
	var b bytes.Buffer
	if err := GroupOTLP(Options{})(&b, g); err != nil {
		t.Fatal(err)
	}
	whole := fieldsOf(t, b.Bytes())
	if n := len(whole[otlpResourceProfiles]); n != 3 || len(whole[otlpDictionary]) != 1 {
		t.Fatalf("%d resources", n)
	}
	for i, kinds := range []int{3, 1, 1} { // a snapshot has samples alone
		scope := fieldsOf(t, fieldsOf(t, whole[otlpResourceProfiles][i])[otlpScopeProfiles][0])
		if n := len(scope[otlpProfile]); n != kinds {
			t.Errorf("process %d has %d profiles, want %d", i, n, kinds)
		}
	}
	want := int64(0)
	for _, p := range g.Profiles {
		for _, c := range ownCounts(p) {
			want += c[0]
		}
	}
	got := int64(0)
	for _, c := range otlpCounts(t, b.Bytes()) {
		got += c[0]
	}
	if got != want {
		t.Errorf("%d samples, want %d", got, want)
	}
}

// TestOTLPIsTheSame for the same profile, id and all, and another for another.
func TestOTLPIsTheSame(t *testing.T) {
	one := written(t, OTLP(Options{}), sampled())
	if !bytes.Equal(one, written(t, OTLP(Options{}), sampled())) {
		t.Error("it differs")
	}
	id := func(p *profile.Profile, o Origin) string {
		document := written(t, OTLP(Options{Origin: o}), p)
		scope := fieldsOf(t, fieldsOf(t, fieldsOf(t, document)[otlpResourceProfiles][0])[otlpScopeProfiles][0])
		return string(fieldsOf(t, scope[otlpProfile][0])[otlpProfileID][0])
	}
	later := sampled()
	later.Start, later.End = later.Start.Add(1), later.End.Add(1)
	renamed := sampled() // which only the dictionary tells
	for _, n := range renamed.Threads[0].Nodes() {
		n.Function = "other " + n.Function
	}
	ids := map[string]bool{id(sampled(), Origin{}): true, id(later, Origin{}): true, id(renamed, Origin{}): true, id(sampled(), Origin{Host: "box"}): true}
	if len(ids) != 4 || len(id(linux(), Origin{})) != 16 {
		t.Errorf("%d ids of 4", len(ids))
	}
}

// TestOTLPHang tells of a watch what it is about, and of nothing else.
func TestOTLPHang(t *testing.T) {
	attributes := func(o Origin) string {
		document := written(t, OTLP(Options{Origin: o}), sampled())
		tables := fieldsOf(t, fieldsOf(t, document)[otlpDictionary][0])
		return string(bytes.Join(tables[otlpStrings], []byte{' '}))
	}
	stuck := &hang.Report{Reason: hang.Hang, Duration: time.Second, Thread: 7}
	for o, want := range map[*hang.Report][]string{nil: {}, stuck: {"stacksnap.hang", "stacksnap.hang.duration", "stacksnap.hang.ended"}, {Reason: hang.Periodic}: {"stacksnap.hang"}} {
		var got []string
		for key := range strings.FieldsSeq(attributes(Origin{Hang: o})) {
			if strings.HasPrefix(key, "stacksnap.hang") && key != "stacksnap.hang.kind" && key != "stacksnap.hang.thread.id" {
				got = append(got, key)
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%+v: %v, want %v", o, got, want)
		}
	}
}

// TestServiceName is what was told, else the unit, else the name.
func TestServiceName(t *testing.T) {
	p := linux()
	for _, c := range []struct {
		origin Origin
		group  string
		want   string
	}{
		{Origin{Service: "shop", Attributes: []Attribute{{"service.name", "other"}}}, "x.service", "shop"},
		{Origin{Attributes: []Attribute{{"service.name", "other"}}}, "x.service", "other"},
		{Origin{}, "nginx.service", "nginx"}, {Origin{}, "user.slice", "demo"},
	} {
		p.Target.Group.Manager, p.Target.Group.ID = systemd, c.group
		if got := ServiceName(p, &c.origin); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}
