package format_test

import (
	"testing"

	"stacksnap/format/folded"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/jsondoc"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/text"
	"stacksnap/format/words"
)

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name    string
		write   report.Writer
		profile *profile.Profile
		how     words.Options
	}{
		{"linux.txt", text.Tree, fixtures.Linux(), words.Options{}},
		{"linux_color.txt", text.Tree, fixtures.Linux(), words.Options{Color: true}},
		{"darwin.txt", text.Tree, fixtures.Darwin(), words.Options{}},
		{"darwin_merge.txt", text.Tree, fixtures.Darwin().FoldThreads(), words.Options{}},
		{"translated.txt", text.Tree, fixtures.Translated(), words.Options{}},
		{"translated_live.txt", text.Tree, fixtures.TranslatedLive(), words.Options{}},
		{"no_threads.txt", text.Tree, fixtures.NoThreads(), words.Options{}},
		{"recursion.txt", text.Tree, fixtures.Recursion(9_000), words.Options{}},
		{"staircase.txt", text.Tree, fixtures.Staircase(), words.Options{}},
		{"hostile.txt", text.Tree, fixtures.Hostile(), words.Options{}},
		{"sampled.txt", text.Tree, fixtures.Sampled(), words.Options{}},
		{"sampled.folded", folded.Write, fixtures.Sampled(), words.Options{}},
		{"sampled.json", jsondoc.Write, fixtures.Sampled(), words.Options{}},
		{"linux.json", jsondoc.Write, fixtures.Linux(), words.Options{}},
		{"linux.folded", folded.Write, fixtures.Linux(), words.Options{}},
		{"darwin_merge.json", jsondoc.Write, fixtures.Darwin().FoldThreads(), words.Options{}},
		{"hostile.json", jsondoc.Write, fixtures.Hostile(), words.Options{}},
		{"hostile.folded", folded.Write, fixtures.Hostile(), words.Options{}},
		{"sampled_invert.txt", text.Tree, fixtures.Sampled().Invert(), words.Options{}},
		{"sampled_invert.folded", folded.Write, fixtures.Sampled().Invert(), words.Options{}},
		{"sampled_focus.txt", text.Tree, fixtures.Sampled().Select(fixtures.Matching("hot|cold"), nil, fixtures.Matching("^__libc")), words.Options{}},
		{"sampled_min.txt", text.Tree, fixtures.Sampled().ByFunction().Prune(12, 2), words.Options{}},
		{"sampled_min.json", jsondoc.Write, fixtures.Sampled().ByFunction().Prune(12, 2), words.Options{}},
		{"sampled_state.txt", text.Tree, fixtures.Stated().GroupBy(profile.ByState), words.Options{}},
		{"sampled_split.txt", text.Tree, fixtures.Stated(), words.Options{}},
		{"recursion_process.txt", text.Tree, fixtures.Recursion(30).GroupBy(profile.ByProcess).Prune(0, 3), words.Options{}},
		{"sampled_split_invert.txt", text.Tree, fixtures.Stated().Invert(), words.Options{}},
		{"sampled_process.folded", folded.Write, fixtures.Sampled().GroupBy(profile.ByProcess), words.Options{}},
		{"linux_invert.txt", text.Tree, fixtures.Linux().Invert().Prune(0, 2), words.Options{}},
		{"linux_narrow.txt", text.Tree, fixtures.Linux(), words.Options{Width: 80}},
		{"sampled_narrow.txt", text.Tree, fixtures.Sampled(), words.Options{Width: 80}},
		{"darwin_process.txt", text.Tree, fixtures.Darwin().GroupBy(profile.ByProcess), words.Options{}},
		{"darwin_queue.json", jsondoc.Write, fixtures.Darwin().GroupBy(profile.ByQueue), words.Options{}},
		{"darwin_state.folded", folded.Write, fixtures.Darwin().GroupBy(profile.ByState).Invert(), words.Options{}},
		{"hostile_view.txt", text.Tree, fixtures.Hostile().Select(fixtures.Matching("x", "\x1b"), nil, nil).Invert(), words.Options{Width: 60}},
		{"hostile_view.json", jsondoc.Write, fixtures.Hostile().Select(fixtures.Matching("x", "\x1b"), nil, nil).Invert(), words.Options{}},
		{"recursion_folded.txt", text.Tree, fixtures.Recursion(9_000).FoldRecursion(), words.Options{}},
		{"staircase_narrow.txt", text.Tree, fixtures.Staircase(), words.Options{Width: 60}},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden.Check(t, c.name, golden.WrittenReport(t, c.write, report.Of(c.profile), c.how))
		})
	}
}
