package firefox

import (
	"time"

	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

// The categories of stacks: the state in which the thread was.
const (
	firefoxOther = iota // where the state is not known, and of frames that called others
	firefoxRunnable
	firefoxSleeping
	firefoxUninterruptible
	firefoxStopped
)

type firefoxCategory struct {
	Name  string   `json:"name"`
	Color string   `json:"color"`
	Sub   []string `json:"subcategories"`
}

// firefoxCategories has them in their order. The first grey one is that of what has none,
// and what is transparent is idle.
func firefoxCategories() []firefoxCategory {
	sub := []string{"Other"}
	return []firefoxCategory{
		{"Other", "grey", sub}, {"Runnable", "yellow", sub}, {"Sleeping", "transparent", sub},
		{"Uninterruptible", "orange", sub}, {"Stopped", "brown", sub},
	}
}

func firefoxCategoryOf(state task.State) int {
	switch state {
	case task.Running:
		return firefoxRunnable
	case task.Sleeping:
		return firefoxSleeping
	case task.Uninterruptible:
		return firefoxUninterruptible
	case task.Stopped:
		return firefoxStopped
	}
	return firefoxOther
}

// firefoxMeta is what is told of all. The Profiler takes the start for that of the process;
// all times are after it, and here it is that of the capture.
type firefoxMeta struct {
	Interval     float64           `json:"interval"` // all times are in milliseconds
	Start        float64           `json:"startTime"`
	ProcessType  int               `json:"processType"`
	Product      string            `json:"product"`
	ImportedFrom string            `json:"importedFrom"`
	Stackwalk    int               `json:"stackwalk"`
	Version      int               `json:"version"`
	Processed    int               `json:"preprocessedProfileVersion"`
	System       string            `json:"oscpu,omitempty"`
	CPU          string            `json:"CPUName,omitempty"`
	CPUs         int               `json:"logicalCPUs,omitempty"`
	Memory       uint64            `json:"mainMemory,omitempty"`
	Symbolicated bool              `json:"symbolicated"`
	OneStackType bool              `json:"usesOnlyOneStackType"`
	NoSearchfox  bool              `json:"sourceCodeIsNotOnSearchfox"`
	Ordered      bool              `json:"keepProfileThreadOrder"`
	Categories   []firefoxCategory `json:"categories"`
	Markers      []firefoxSchema   `json:"markerSchema"`
	Units        map[string]string `json:"sampleUnits"`
	Extra        []firefoxSection  `json:"extra"`
}

// firefoxSection is shown as more about the profile.
type firefoxSection struct {
	Label   string         `json:"label"`
	Entries []firefoxEntry `json:"entries"`
}

type firefoxEntry struct {
	Label  string `json:"label"`
	Format string `json:"format"`
	Value  string `json:"value"`
}

func firefoxMetaOf(g *profile.Group) firefoxMeta {
	m := firefoxMeta{
		Product: words.GroupName(g), ImportedFrom: words.Clean(g.Tool, words.MaxText), Stackwalk: 1, Version: geckoVersion, Processed: firefoxVersion,
		Symbolicated: true, OneStackType: true, NoSearchfox: true, Ordered: true,
		Categories: firefoxCategories(), Markers: firefoxSchemas(),
		Units: map[string]string{"time": "ms", "eventDelay": "ms", "threadCPUDelta": "µs"}, Extra: firefoxFacts(g),
	}
	if start := timeline.FirstStart(g); !start.IsZero() {
		m.Start = float64(start.UnixMicro()) / 1e3
	}
	for _, p := range g.Profiles {
		m.Interval = max(m.Interval, float64(p.Interval.Nanoseconds())/1e6)
		at := &p.Target
		m.System, m.CPU, m.CPUs, m.Memory = words.Clean(at.OSVersion, words.MaxText), words.Clean(at.Machine.CPU, words.MaxText), at.Machine.CPUs, at.Machine.Memory
	}
	if m.Interval == 0 {
		m.Interval = float64(time.Millisecond) / 1e6 // of a single snapshot there is none, and its bars are to be seen
	}
	return m
}

// firefoxFacts are the lines that stand above reports for people.
func firefoxFacts(g *profile.Group) (all []firefoxSection) {
	add := func(label string, facts []words.Fact) {
		s := firefoxSection{Label: label}
		for _, f := range facts {
			s.Entries = append(s.Entries, firefoxEntry{f.Name, "string", f.Value})
		}
		if len(s.Entries) > 0 {
			all = append(all, s)
		}
	}
	add("Processes", words.GroupFacts(g))
	for _, p := range g.Profiles {
		w := words.NewWords(p)
		add(w.Title(), w.Facts())
	}
	return all
}
