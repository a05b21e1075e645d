package otlp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	googlepprof "github.com/google/pprof/profile"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"

	"stacksnap/format/jsondoc"
	"stacksnap/format/otlp"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// read reads a document as the Collector's receiver does the request that has the same
// fields.
func read(t *testing.T, document []byte) pprofile.Profiles {
	t.Helper()
	request := pprofileotlp.NewExportRequest()
	if err := request.UnmarshalProto(document); err != nil {
		t.Fatal(err)
	}
	return request.Profiles()
}

// row is one stack of a sample with a value, written out.
type row struct {
	kind, thread, state, queue string
	stack                      string
	value                      int64
}

func (r row) String() string {
	return fmt.Sprintf("%s %d thread=%q state=%q queue=%q\n%s", r.kind, r.value, r.thread, r.state, r.queue, r.stack)
}

// otlpRows are those of all profiles, as OpenTelemetry's reader has them.
func otlpRows(t *testing.T, all pprofile.Profiles) (rows []string) {
	t.Helper()
	d := dictionary{t, all.Dictionary()}
	d.checkFirst()
	for _, resource := range all.ResourceProfiles().All() {
		for _, scope := range resource.ScopeProfiles().All() {
			for _, p := range scope.Profiles().All() {
				if p.ProfileID().IsEmpty() {
					t.Error("a profile has no id")
				}
				kind := d.text(p.SampleType().TypeStrindex()) + "/" + d.text(p.SampleType().UnitStrindex())
				for _, s := range p.Samples().All() {
					rows = append(rows, d.row(kind, s).String())
				}
			}
		}
	}
	slices.Sort(rows)
	return rows
}

// dictionary looks up what samples refer to.
type dictionary struct {
	*testing.T
	pprofile.ProfilesDictionary
}

func (d *dictionary) text(i int32) string { return d.StringTable().At(int(i)) }

// checkFirst: the first row of each table stands for nothing, and no row is there twice
// or for nobody (profiles.proto, ProfilesDictionary).
func (d *dictionary) checkFirst() {
	d.Helper()
	if d.text(0) != "" || d.MappingTable().At(0).MemoryLimit() != 0 || d.LocationTable().At(0).Lines().Len() != 0 ||
		d.FunctionTable().At(0).NameStrindex() != 0 || d.LinkTable().Len() != 1 || d.AttributeTable().At(0).KeyStrindex() != 0 ||
		d.StackTable().At(0).LocationIndices().Len() != 0 {
		d.Error("a table does not begin with a row for nothing")
	}
	seen := map[string]bool{}
	for _, s := range d.StringTable().All() {
		if seen[s] {
			d.Errorf("%q is there twice", s)
		}
		seen[s] = true
	}
	for i := 1; i < d.StackTable().Len(); i++ {
		for _, at := range d.StackTable().At(i).LocationIndices().All() {
			if at <= 0 || int(at) >= d.LocationTable().Len() {
				d.Errorf("stack %d has location %d", i, at)
			}
		}
	}
}

func (d *dictionary) attributes(of pcommon.Int32Slice) map[string]string {
	m := map[string]string{}
	for _, i := range of.All() {
		a := d.AttributeTable().At(int(i))
		key := d.text(a.KeyStrindex())
		if _, twice := m[key]; twice || i == 0 {
			d.Errorf("attribute %d: %s is there twice, or for nothing", i, key)
		}
		m[key] = a.Value().AsString()
	}
	return m
}

func (d *dictionary) row(kind string, s pprofile.Sample) row {
	about := d.attributes(s.AttributeIndices())
	r := row{kind: kind, thread: about["thread.name"], state: about["stacksnap.thread.state"], queue: about["stacksnap.dispatch.queue"]}
	if s.Values().Len() != 1 || s.Values().At(0) == 0 {
		d.Errorf("values %v", s.Values().AsRaw())
	}
	r.value = s.Values().At(0)
	if s.StackIndex() == 0 {
		d.Error("a sample has no stack")
	}
	var b strings.Builder
	for _, at := range d.StackTable().At(int(s.StackIndex())).LocationIndices().All() {
		l := d.LocationTable().At(int(at))
		m := d.MappingTable().At(int(l.MappingIndex()))
		isNative := d.attributes(l.AttributeIndices())["profile.frame.type"] == "native"
		if hasFile := m.MemoryLimit() != 0; isNative != hasFile { // the others are of generated code, or marks
			d.Errorf("location %d of mapping %d: native %t", at, l.MappingIndex(), isNative)
		}
		id := d.attributes(m.AttributeIndices())
		fmt.Fprintf(&b, "%#x in %s [%#x, %#x) %s%s\n", l.Address(), d.text(m.FilenameStrindex()), m.MemoryStart(), m.MemoryLimit(),
			id["process.executable.build_id.gnu"], id["stacksnap.image.uuid"])
		for _, line := range l.Lines().All() {
			f := d.FunctionTable().At(int(line.FunctionIndex()))
			fmt.Fprintf(&b, "  %s %s %s:%d:%d\n", d.text(f.NameStrindex()), d.text(f.SystemNameStrindex()), d.text(f.FilenameStrindex()), line.Line(), line.Column())
		}
	}
	r.stack = b.String()
	return r
}

// pprofRows are those of a profile of pprof, as its own package reads it.
func pprofRows(t *testing.T, document []byte) (rows []string) {
	t.Helper()
	p, err := googlepprof.ParseData(document)
	if err != nil {
		t.Fatal(err)
	}
	stacks := map[row]int64{}
	for _, s := range p.Sample {
		var b strings.Builder
		for _, l := range s.Location {
			m := l.Mapping
			if m == nil {
				m = &googlepprof.Mapping{}
			}
			fmt.Fprintf(&b, "%#x in %s [%#x, %#x) %s\n", l.Address, m.File, m.Start, m.Limit, m.BuildID)
			for _, line := range l.Line {
				fmt.Fprintf(&b, "  %s %s %s:%d:%d\n", line.Function.Name, line.Function.SystemName, line.Function.Filename, line.Line, line.Column)
			}
		}
		for i, v := range s.Value {
			r := row{p.SampleType[i].Type + "/" + p.SampleType[i].Unit, label(s, "thread"), label(s, "state"), label(s, "queue"), b.String(), v}
			if v != 0 {
				stacks[r]++
			}
		}
	}
	for r, n := range stacks {
		rows = append(rows, slices.Repeat([]string{r.String()}, int(n))...)
	}
	slices.Sort(rows)
	return rows
}

func label(s *googlepprof.Sample, key string) string { return strings.Join(s.Label[key], " ") }

// document opens one of the documents of the tests.
func document(t *testing.T, path string) *profile.Profile {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := jsondoc.Read(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func written(t *testing.T, write report.Writer, p *profile.Profile, o report.Origin) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, &report.Report{Group: *profile.GroupOf(p), Origin: o}, words.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestReader: OpenTelemetry's reader finds in each document the stacks, values, images
// and threads that pprof's finds in ours for it.
func TestReader(t *testing.T) {
	paths, _ := filepath.Glob("../../format/testdata/*.json")
	read := 0
	for _, path := range paths {
		if strings.HasSuffix(path, ".speedscope.json") || strings.Contains(path, "diff") || strings.HasSuffix(path, "_min.json") || strings.HasSuffix(path, "_queue.json") || strings.HasSuffix(path, "_view.json") || strings.HasSuffix(path, ".profile.json") || strings.HasSuffix(path, ".trace.json") || strings.Contains(path, "group") {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			p := document(t, path)
			want, got := pprofRows(t, written(t, pprof.Write, p, report.Origin{})), otlpRows(t, readOf(t, p))
			if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
				t.Errorf("%d rows (-pprof +otlp):\n%s", len(got), diff)
			}
			read++
		})
	}
	if read < 4 {
		t.Errorf("only %d documents were read", read)
	}
}

func readOf(t *testing.T, p *profile.Profile) pprofile.Profiles {
	t.Helper()
	return read(t, written(t, otlp.Write, p, report.Origin{}))
}

// TestResource has what is known by the names of the semantic conventions, and nothing
// of a program's arguments.
func TestResource(t *testing.T) {
	p := document(t, "../../format/testdata/linux.json")
	o := report.Origin{Host: "box", Attributes: []report.Attribute{{Key: "deployment.environment.name", Value: "test"}, {Key: "host.name", Value: "other"}}}
	got := read(t, written(t, otlp.Write, p, o)).ResourceProfiles().At(0)
	want := map[string]any{
		"service.name": "demo", "deployment.environment.name": "test", "host.name": "other", "host.arch": "amd64", "os.type": "linux",
		"os.description": "Debian GNU/Linux 12 (Linux 6.1.0)", "process.pid": int64(4242), "process.parent_pid": int64(4200),
		"process.executable.name": "demo", "process.executable.path": "/tmp/demo",
		"container.id": strings.Repeat("0123456789abcdef", 4), "k8s.pod.uid": "1a2b3c4d-1111-2222-3333-0123456789ab",
	}
	if diff := cmp.Diff(want, got.Resource().Attributes().AsRaw()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if scope := got.ScopeProfiles().At(0).Scope(); scope.Name() != "stacksnap" || scope.Version() != "1.0" {
		t.Errorf("scope %q %q", scope.Name(), scope.Version())
	}
}

// TestTimes: of a sampling there is a profile each for samples, time and CPU time.
func TestTimes(t *testing.T) {
	p := document(t, "../../format/testdata/sampled.json")
	all := readOf(t, p)
	d := dictionary{t, all.Dictionary()}
	var kinds []string
	for _, one := range all.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles().All() {
		kinds = append(kinds, d.text(one.SampleType().TypeStrindex()))
		if one.Time().AsTime().UnixNano() != p.Start.UnixNano() || one.DurationNano() != uint64(p.Duration()) || one.Period() != int64(p.Interval) ||
			d.text(one.PeriodType().TypeStrindex()) != "wall" || d.text(one.PeriodType().UnitStrindex()) != "nanoseconds" {
			t.Errorf("at %v for %d, every %d", one.Time(), one.DurationNano(), one.Period())
		}
	}
	if got := strings.Join(kinds, " "); got != "samples wall cpu" {
		t.Error(got)
	}
}

// TestGolden: OpenTelemetry's reader takes the files that the tests of the product have.
func TestGolden(t *testing.T) {
	paths, _ := filepath.Glob("../../format/testdata/*.otlp")
	ofFormats, _ := filepath.Glob("../../format/testdata/formats/*.otlp")
	paths = append(paths, ofFormats...)
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(otlpRows(t, read(t, b))) == 0 {
			t.Errorf("%s has no samples", path)
		}
	}
	if len(paths) < 6 {
		t.Errorf("only %v", paths)
	}
}
