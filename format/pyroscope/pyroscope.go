// Package pyroscope writes profiles for Grafana Pyroscope: pprof profiles with labels.
package pyroscope

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strconv"

	"stacksnap/format/internal/protobuf"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// maxThreadLabels is the maximum number of thread names that become labels. Each makes a series in
// Pyroscope, and some programs number their threads.
const maxThreadLabels = 32

// Write writes profiles as an upload to Grafana Pyroscope (push.v1.PushRequest,
// api/push/v1/push.proto). Each process is a pprof profile with the labels service_name,
// host, pid, thread and, for a watch, hang. The threads with the most samples are labelled
// by name, others by "other", since Pyroscope keeps a series for each label.
func Write(w io.Writer, r *report.Report, _ words.Options) error {
	for _, p := range r.Profiles {
		one, err := series(p, r)
		if err != nil {
			return err
		}
		if _, err := w.Write(protobuf.Message(nil).Inner(1, one)); err != nil {
			return err
		}
	}
	return nil
}

// series returns a RawProfileSeries.
func series(p *profile.Profile, of *report.Report) (protobuf.Message, error) {
	var m protobuf.Message
	for _, l := range labels(p, of) {
		m = m.Inner(1, protobuf.Message(nil).Text(1, l.Key).Text(2, l.Value))
	}
	var raw bytes.Buffer
	packed := gzip.NewWriter(&raw)
	out := pprof.NewPprof(packed, profile.GroupOf(p))
	out.OnlyNames = frequentNames(p)
	if err := out.Write(profile.GroupOf(p)); err != nil {
		return nil, err
	}
	if err := packed.Close(); err != nil {
		return nil, err
	}
	id := uuidOf(m, raw.Bytes())
	return m.Inner(2, protobuf.Message(nil).Inner(1, raw.Bytes()).Text(2, id)), nil
}

// labels returns the labels of a process. The profile's name is that of Pyroscope's own
// agents, so that Pyroscope's pages find it.
func labels(p *profile.Profile, of *report.Report) []report.Attribute {
	all := []report.Attribute{
		{Key: "__name__", Value: "process_cpu"}, {Key: "service_name", Value: of.Origin.ServiceName(p)},
		{Key: "host", Value: words.Clean(of.Origin.Host, words.MaxText)},
	}
	if p.Target.PID > 0 {
		all = append(all, report.Attribute{Key: "pid", Value: strconv.Itoa(p.Target.PID)})
	}
	if r := of.Hang; r != nil {
		all = append(all, report.Attribute{Key: "hang", Value: map[bool]string{true: "yes", false: "no"}[r.Reason == hangreport.Hang]})
	}
	return slices.DeleteFunc(all, func(a report.Attribute) bool { return a.Value == "" })
}

// frequentNames returns the thread names that become labels: those with the most samples.
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

// uuidOf returns a UUID computed from the contents, so that a repeated upload has the same
// one (RFC 9562, 5.8).
func uuidOf(parts ...[]byte) string {
	hash := sha256.New()
	for _, part := range parts {
		_, _ = hash.Write(part) // a hash never fails
	}
	b := hash.Sum(nil)[:16]
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
