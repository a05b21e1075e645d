package jsondoc

import (
	"stacksnap/format/profile"
)

type jsonView struct {
	Samples     int      `json:"samples"`
	LeftOut     int      `json:"samples_left_out"`
	LeftThreads int      `json:"threads_left_out,omitempty"`
	Focus       []string `json:"focus,omitempty"`
	Ignore      []string `json:"ignore,omitempty"`
	Hide        []string `json:"hide,omitempty"`
	Recursion   bool     `json:"recursion_folded,omitempty"`
	Inverted    bool     `json:"inverted,omitempty"`
	By          string   `json:"by,omitempty"`
	Least       float64  `json:"min_percent,omitempty"`
	Depth       int      `json:"depth,omitempty"`
}

type jsonTogether struct {
	By      string     `json:"by"`
	Queue   string     `json:"queue,omitempty"`
	State   string     `json:"state,omitempty"`
	Threads []jsonSame `json:"threads"`
}

type jsonFold struct {
	Branches int `json:"branches"`
	Frames   int `json:"frames"`
}

// newJSONView returns nil for a profile without a view.
func newJSONView(p *profile.Profile) *jsonView {
	v := p.View
	if v == nil {
		return nil
	}
	j := &jsonView{
		Samples: v.Whole.NumSamples(), LeftOut: v.LeftOut, LeftThreads: v.LeftThreads,
		Focus: sources(v.Focus), Ignore: sources(v.Ignore), Hide: sources(v.Hide),
		Recursion: v.Recursion, Inverted: v.Inverted, Least: v.Least, Depth: v.Depth,
	}
	if v.By != profile.ByThread {
		j.By = v.By.String()
	}
	return j
}

// sources returns the text of regular expressions.
func sources(of profile.Patterns) (list []string) {
	for _, re := range of {
		list = append(list, re.String())
	}
	return list
}

func newJSONTogether(t *profile.Together) *jsonTogether {
	if t == nil {
		return nil
	}
	j := &jsonTogether{By: t.By.String(), Queue: t.Queue, Threads: []jsonSame{}}
	if t.By == profile.ByState {
		j.State = t.State.String()
	}
	for _, s := range t.Threads {
		j.Threads = append(j.Threads, newJSONSame(s))
	}
	return j
}
