package otlp

import (
	"path"
	"strings"

	"stacksnap/format/internal/protobuf"
	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// anyValue is an encoded AnyValue of OpenTelemetry (common/v1/common.proto); nil if there
// is none.
type anyValue protobuf.Message

func textValue(s string) anyValue {
	if s == "" {
		return nil
	}
	return anyValue(protobuf.Message(nil).Inner(1, protobuf.Message(s)))
}

func boolValue(b bool) anyValue {
	if b {
		return anyValue{2 << 3, 1}
	}
	return anyValue{2 << 3, 0} // written even if it is false
}

func intValue(n int64) anyValue {
	if n == 0 {
		return anyValue{3 << 3, 0}
	}
	return anyValue(protobuf.Message(nil).Signed(3, n))
}

// resourceOf returns the Resource message of a process, with attributes from
// OpenTelemetry's semantic conventions. It leaves out the arguments, which may be secret.
func resourceOf(p *profile.Profile, o *report.Origin) protobuf.Message {
	var m protobuf.Message
	seen := map[string]bool{}
	add := func(key string, value anyValue) {
		if value != nil && !seen[key] {
			seen[key] = true
			m = m.Inner(1, protobuf.Message(nil).Text(1, key).Inner(2, protobuf.Message(value)))
		}
	}
	add("service.name", textValue(o.ServiceName(p)))
	for _, a := range o.Attributes {
		add(words.Clean(a.Key, words.MaxText), textValue(words.Clean(a.Value, words.MaxPath)))
	}
	t := &p.Target
	add("host.name", textValue(words.Clean(o.Host, words.MaxText)))
	add("host.arch", textValue(hostArch(t)))
	add("os.type", textValue(map[task.OS]string{task.Linux: "linux", task.Darwin: "darwin"}[t.OS]))
	add("os.description", textValue(words.Clean(t.OSVersion, words.MaxText)))
	if t.PID > 0 {
		add("process.pid", intValue(int64(t.PID)))
	}
	if t.ParentPID > 0 {
		add("process.parent_pid", intValue(int64(t.ParentPID)))
	}
	add("process.executable.name", textValue(executable(t)))
	add("process.executable.path", textValue(words.Clean(t.Path, words.MaxPath)))
	if t.User != nil {
		add("process.owner", textValue(words.Clean(t.User.Name, words.MaxText)))
	}
	if g := t.Group; g != nil && g.Manager != report.Systemd {
		add("container.id", textValue(words.Clean(g.ID, words.MaxText)))
		add("container.runtime.name", textValue(containerRuntime(g.Manager)))
		add("k8s.pod.uid", textValue(words.Clean(g.Pod, words.MaxText)))
	}
	return m
}

// containerRuntime returns the value of container.runtime.name; empty for Kubernetes, which
// is no runtime.
func containerRuntime(manager string) string {
	if manager == "kubernetes" {
		return ""
	}
	return words.Clean(manager, words.MaxText)
}

// hostArch returns the value of host.arch; empty for a translated program, whose
// architecture is not the host's.
func hostArch(t *task.Info) string {
	if t.Translated {
		return ""
	}
	return map[task.Arch]string{task.AMD64: "amd64", task.ARM64: "arm64", task.I386: "x86", task.ARM: "arm32"}[t.Arch]
}

func executable(t *task.Info) string {
	if t.Path == "" {
		return words.Clean(t.Name, words.MaxText)
	}
	return words.Clean(path.Base(t.Path), words.MaxText)
}

// profileAttributes returns the attributes of a profile: its notes and, for a watch, the
// facts on the hang.
func (o *otlpWriter) profileAttributes(p *profile.Profile) []uint64 {
	var list []uint64
	add := func(key string, value anyValue, unit string) {
		if value != nil {
			list = append(list, o.attribute(key, value, unit))
		}
	}
	if r := o.report.Hang; r != nil {
		add("stacksnap.hang", boolValue(r.Reason == hangreport.Hang), "")
		if r.Reason == hangreport.Hang {
			add("stacksnap.hang.kind", textValue(r.Kind.String()), "")
			add("stacksnap.hang.duration", intValue(int64(r.Duration)), "ns")
			add("stacksnap.hang.ended", boolValue(r.Ended), "")
			add("stacksnap.hang.thread.id", intValue(int64(r.Thread)), "")
		}
	}
	var notes []string
	for _, note := range p.Notes[:min(len(p.Notes), words.MaxNotes)] {
		notes = append(notes, words.Clean(note, words.MaxPath))
	}
	add("stacksnap.notes", textValue(strings.Join(notes, "\n")), "")
	return list
}
