package firefox

import (
	"time"

	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

// The categories of stacks: the states of threads.
const (
	firefoxOther = iota // the category for an unknown state, and for frames that are not innermost
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

// firefoxCategories returns the categories in order. The Profiler uses the first grey one
// for stacks without a category, and takes transparent ones for idle.
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

// firefoxMeta is the data about the whole profile. Times are relative to Start: in Firefox
// the start of the process, here that of the capture.
type firefoxMeta struct {
	Interval     float64           `json:"interval"` // milliseconds, the unit of all times
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

// firefoxSection is a group of facts that the Profiler shows with the profile.
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
		m.Interval = float64(time.Millisecond) / 1e6 // a single snapshot has none, and would not be visible
	}
	return m
}

// firefoxFacts returns the facts in the header of text reports.
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
