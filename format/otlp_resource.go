package format

import (
	"path"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hang"
	"stacksnap/task"
)

// Origin is what is known of where profiles come from besides what they say, for
// OpenTelemetry's resources.
type Origin struct {
	Host string // the name of the machine that the processes run on; empty: not known
	// Service is what the processes do, which otherwise is told by their unit of systemd
	// or their name.
	Service    string
	Attributes []Attribute // further ones, which go before those that are found out
	Hang       *hang.Report
}

// Attribute is a name with a text.
type Attribute struct{ Key, Value string }

// anyValue is OpenTelemetry's AnyValue (common/v1/common.proto); nil: none.
type anyValue message

func textValue(s string) anyValue {
	if s == "" {
		return nil
	}
	return anyValue(message(nil).inner(1, message(s)))
}

func boolValue(b bool) anyValue {
	if b {
		return anyValue{2 << 3, 1}
	}
	return anyValue{2 << 3, 0} // it is told, also where it is false
}

func intValue(n int64) anyValue {
	if n == 0 {
		return anyValue{3 << 3, 0}
	}
	return anyValue(message(nil).signed(3, n))
}

// resourceOf is the Resource message of a process: attributes by the names of
// OpenTelemetry's semantic conventions. Arguments are not among them: they may be
// nobody else's to read.
func resourceOf(p *profile.Profile, o *Origin) message {
	var m message
	seen := map[string]bool{}
	add := func(key string, value anyValue) {
		if value != nil && !seen[key] {
			seen[key] = true
			m = m.inner(1, message(nil).text(1, key).inner(2, message(value)))
		}
	}
	add("service.name", textValue(ServiceName(p, o)))
	for _, a := range o.Attributes {
		add(clean(a.Key, maxText), textValue(clean(a.Value, maxPath)))
	}
	t := &p.Target
	add("host.name", textValue(clean(o.Host, maxText)))
	add("host.arch", textValue(hostArch(t)))
	add("os.type", textValue(map[task.OS]string{task.Linux: "linux", task.Darwin: "darwin"}[t.OS]))
	add("os.description", textValue(clean(t.OSVersion, maxText)))
	if t.PID > 0 {
		add("process.pid", intValue(int64(t.PID)))
	}
	if t.ParentPID > 0 {
		add("process.parent_pid", intValue(int64(t.ParentPID)))
	}
	add("process.executable.name", textValue(executable(t)))
	add("process.executable.path", textValue(clean(t.Path, maxPath)))
	if t.User != nil {
		add("process.owner", textValue(clean(t.User.Name, maxText)))
	}
	if g := t.Group; g != nil && g.Manager != systemd {
		add("container.id", textValue(clean(g.ID, maxText)))
		add("container.runtime.name", textValue(containerRuntime(g.Manager)))
		add("k8s.pod.uid", textValue(clean(g.Pod, maxText)))
	}
	return m
}

// systemd is the manager whose groups are units, not containers.
const systemd = "systemd"

// containerRuntime is the one that the conventions' attribute takes: Kubernetes is none.
func containerRuntime(manager string) string {
	if manager == "kubernetes" {
		return ""
	}
	return clean(manager, maxText)
}

// hostArch is the architecture by the conventions' names. A translated program tells
// nothing of the machine's.
func hostArch(t *task.Info) string {
	if t.Translated {
		return ""
	}
	return map[task.Arch]string{task.AMD64: "amd64", task.ARM64: "arm64", task.I386: "x86", task.ARM: "arm32"}[t.Arch]
}

func executable(t *task.Info) string {
	if t.Path == "" {
		return clean(t.Name, maxText)
	}
	return clean(path.Base(t.Path), maxText)
}

// ServiceName is what a process is for: as it was told, else its unit of systemd without
// the suffix, else its name.
func ServiceName(p *profile.Profile, o *Origin) string {
	if o.Service != "" {
		return clean(o.Service, maxText)
	}
	for _, a := range o.Attributes {
		if a.Key == "service.name" && a.Value != "" {
			return clean(a.Value, maxText)
		}
	}
	if g := p.Target.Group; g != nil && g.Manager == systemd {
		if unit, ok := strings.CutSuffix(g.ID, ".service"); ok {
			return clean(unit, maxText)
		}
	}
	return clean(p.Target.Name, maxText)
}

// profileAttributes tell of a profile as a whole: what to beware of, and of a watch
// whether it is of a hang.
func (o *otlpWriter) profileAttributes(p *profile.Profile) []uint64 {
	var list []uint64
	add := func(key string, value anyValue, unit string) {
		if value != nil {
			list = append(list, o.attribute(key, value, unit))
		}
	}
	if r := o.origin.Hang; r != nil {
		add("stacksnap.hang", boolValue(r.Reason == hang.Hang), "")
		if r.Reason == hang.Hang {
			add("stacksnap.hang.kind", textValue(r.Kind.String()), "")
			add("stacksnap.hang.duration", intValue(int64(r.Duration)), "ns")
			add("stacksnap.hang.ended", boolValue(r.Ended), "")
			add("stacksnap.hang.thread.id", intValue(int64(r.Thread)), "")
		}
	}
	var notes []string
	for _, note := range p.Notes[:min(len(p.Notes), maxNotes)] {
		notes = append(notes, clean(note, maxPath))
	}
	add("stacksnap.notes", textValue(strings.Join(notes, "\n")), "")
	return list
}
