package format

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strconv"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hang"
)

// maxThreadLabels is how many names of threads are told apart: each makes a series in
// Pyroscope, and threads may be named by numbers.
const maxThreadLabels = 32

// otherThreads stands for the names of all further threads.
const otherThreads = "other"

// GroupPyroscope writes profiles as the request by which Grafana Pyroscope takes them
// (push.v1.PushRequest, api/push/v1/push.proto): of each process what [Pprof] has, with
// the labels service_name, host, pid, thread and, of a watch, hang. Pyroscope keeps a
// series for each thread: those with the most samples have their name, others "other".
func GroupPyroscope(o Options) GroupWriter {
	return func(w io.Writer, g *profile.Group) error {
		for _, p := range g.Profiles {
			series, err := pyroscopeSeries(p, &o.Origin)
			if err != nil {
				return err
			}
			if _, err := w.Write(message(nil).inner(1, series)); err != nil {
				return err
			}
		}
		return nil
	}
}

// pyroscopeSeries is a RawProfileSeries.
func pyroscopeSeries(p *profile.Profile, o *Origin) (message, error) {
	var m message
	for _, l := range pyroscopeLabels(p, o) {
		m = m.inner(1, message(nil).text(1, l.Key).text(2, l.Value))
	}
	var raw bytes.Buffer
	packed := gzip.NewWriter(&raw)
	out := newPprof(packed, profile.GroupOf(p))
	out.onlyNames = frequentNames(p)
	if err := out.write(profile.GroupOf(p)); err != nil {
		return nil, err
	}
	if err := packed.Close(); err != nil {
		return nil, err
	}
	id := uuidOf(m, raw.Bytes())
	return m.inner(2, message(nil).inner(1, raw.Bytes()).text(2, id)), nil
}

// pyroscopeLabels are those of all samples of a process. Its profiles are named as those
// of Pyroscope's own agents are, by which its pages find them.
func pyroscopeLabels(p *profile.Profile, o *Origin) []Attribute {
	all := []Attribute{{"__name__", "process_cpu"}, {"service_name", ServiceName(p, o)}, {"host", clean(o.Host, maxText)}}
	if p.Target.PID > 0 {
		all = append(all, Attribute{"pid", strconv.Itoa(p.Target.PID)})
	}
	if r := o.Hang; r != nil {
		all = append(all, Attribute{"hang", map[bool]string{true: "yes", false: "no"}[r.Reason == hang.Hang]})
	}
	return slices.DeleteFunc(all, func(a Attribute) bool { return a.Value == "" })
}

// frequentNames are the names of threads that are told apart.
func frequentNames(p *profile.Profile) map[string]bool {
	samples := map[string]int{}
	var names []string
	for _, t := range p.Threads {
		if _, ok := samples[t.Name]; !ok {
			names = append(names, t.Name)
		}
		samples[t.Name] += t.Samples * t.Weight()
	}
	slices.SortStableFunc(names, func(a, b string) int { return samples[b] - samples[a] })
	kept := map[string]bool{}
	for _, name := range names[:min(len(names), maxThreadLabels)] {
		kept[name] = true
	}
	return kept
}

// uuidOf makes an identifier of contents: what is sent again has the same (RFC 9562, 5.8).
func uuidOf(parts ...[]byte) string {
	hash := sha256.New()
	for _, part := range parts {
		_, _ = hash.Write(part) // it takes all
	}
	b := hash.Sum(nil)[:16]
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
