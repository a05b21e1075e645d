package otlp

import (
	"bytes"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"stacksnap/format/internal/counts"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/internal/protobuf"
	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// TestOTLPGolden: as the reader of OpenTelemetry's Collector has checked it (scripts/otlp).
func TestOTLPGolden(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"linux.otlp": fixtures.Linux(), "darwin.otlp": fixtures.Darwin(), "sampled.otlp": fixtures.Sampled(), "hostile.otlp": fixtures.Hostile()} {
		t.Run(name, func(t *testing.T) { golden.Check(t, name, golden.Written(t, Write, p)) })
	}
}

// otlpCounts are the samples by function, as countsBy has them, read by hand.
func otlpCounts(t *testing.T, document []byte) counts.Counts {
	t.Helper()
	tables := fieldsOf(t, fieldsOf(t, document)[otlpDictionary][0])
	text := func(i uint64) string { return string(tables[otlpStrings][i]) }
	numbers := func(m []byte) []uint64 {
		v := make([]uint64, 8)
		if err := protobuf.Numbers(m, v); err != nil {
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
	c := counts.Counts{}
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
			c.Add(self, on, int64(value))
		}
	}
	return c
}

// fieldsOf are the messages and texts in a message, by field.
func fieldsOf(t *testing.T, m []byte) map[int][][]byte {
	t.Helper()
	all := map[int][][]byte{}
	err := protobuf.Each(m, func(f protobuf.Field) error {
		if f.IsText {
			all[f.Number] = append(all[f.Number], f.Bytes)
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
	err := protobuf.Each(m, func(f protobuf.Field) (err error) {
		if f.Number == number {
			list, err = f.Numbers(list)
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
	for kind, make := range fixtures.Profiles {
		p := make()
		want := counts.Own(p)
		if got := otlpCounts(t, golden.Written(t, Write, p)); gocmp.Diff(want, got) != "" {
			t.Errorf("%s (-want +got):\n%s", kind, gocmp.Diff(want, got))
		}
	}
}

// TestOTLPGroup has a resource for each process, and one set of tables.
func TestOTLPGroup(t *testing.T) {
	g := &profile.Group{Tool: "stacksnap 1.0", Profiles: []*profile.Profile{fixtures.Sampled(), fixtures.Darwin(), fixtures.Linux()}}
	var b bytes.Buffer
	if err := Write(&b, report.OfGroup(g), words.Options{}); err != nil {
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
		for _, c := range counts.Own(p) {
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
	one := golden.Written(t, Write, fixtures.Sampled())
	if !bytes.Equal(one, golden.Written(t, Write, fixtures.Sampled())) {
		t.Error("it differs")
	}
	id := func(p *profile.Profile, o report.Origin) string {
		document := golden.WrittenReport(t, Write, &report.Report{Group: *profile.GroupOf(p), Origin: o}, words.Options{})
		scope := fieldsOf(t, fieldsOf(t, fieldsOf(t, document)[otlpResourceProfiles][0])[otlpScopeProfiles][0])
		return string(fieldsOf(t, scope[otlpProfile][0])[otlpProfileID][0])
	}
	later := fixtures.Sampled()
	later.Start, later.End = later.Start.Add(1), later.End.Add(1)
	renamed := fixtures.Sampled() // which only the dictionary tells
	for _, n := range renamed.Threads[0].Nodes() {
		n.Function = "other " + n.Function
	}
	ids := map[string]bool{id(fixtures.Sampled(), report.Origin{}): true, id(later, report.Origin{}): true, id(renamed, report.Origin{}): true, id(fixtures.Sampled(), report.Origin{Host: "box"}): true}
	if len(ids) != 4 || len(id(fixtures.Linux(), report.Origin{})) != 16 {
		t.Errorf("%d ids of 4", len(ids))
	}
}

// TestOTLPHang tells of a watch what it is about, and of nothing else.
func TestOTLPHang(t *testing.T) {
	attributes := func(h *hangreport.Report) string {
		document := golden.WrittenReport(t, Write, &report.Report{Group: *profile.GroupOf(fixtures.Sampled()), Hang: h}, words.Options{})
		tables := fieldsOf(t, fieldsOf(t, document)[otlpDictionary][0])
		return string(bytes.Join(tables[otlpStrings], []byte{' '}))
	}
	stuck := &hangreport.Report{Reason: hangreport.Hang, Duration: time.Second, Thread: 7}
	for o, want := range map[*hangreport.Report][]string{nil: {}, stuck: {"stacksnap.hang", "stacksnap.hang.duration", "stacksnap.hang.ended"}, {Reason: hangreport.Periodic}: {"stacksnap.hang"}} {
		var got []string
		for key := range strings.FieldsSeq(attributes(o)) {
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
	p := fixtures.Linux()
	for _, c := range []struct {
		origin report.Origin
		group  string
		want   string
	}{
		{report.Origin{Service: "shop", Attributes: []report.Attribute{{Key: "service.name", Value: "other"}}}, "x.service", "shop"},
		{report.Origin{Attributes: []report.Attribute{{Key: "service.name", Value: "other"}}}, "x.service", "other"},
		{report.Origin{}, "nginx.service", "nginx"}, {report.Origin{}, "user.slice", "demo"},
	} {
		p.Target.Group.Manager, p.Target.Group.ID = report.Systemd, c.group
		if got := c.origin.ServiceName(p); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}
