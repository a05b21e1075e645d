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

// anyValue is OpenTelemetry's AnyValue (common/v1/common.proto); nil: none.
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
	return anyValue{2 << 3, 0} // it is told, also where it is false
}

func intValue(n int64) anyValue {
	if n == 0 {
		return anyValue{3 << 3, 0}
	}
	return anyValue(protobuf.Message(nil).Signed(3, n))
}

// resourceOf is the Resource message of a process: attributes by the names of
// OpenTelemetry's semantic conventions. Arguments are not among them: they may be
// nobody else's to read.
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

// containerRuntime is the one that the conventions' attribute takes: Kubernetes is none.
func containerRuntime(manager string) string {
	if manager == "kubernetes" {
		return ""
	}
	return words.Clean(manager, words.MaxText)
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
		return words.Clean(t.Name, words.MaxText)
	}
	return words.Clean(path.Base(t.Path), words.MaxText)
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
