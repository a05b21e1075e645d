package format_test

import (
	"testing"

	"stacksnap/format/folded"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/jsondoc"
	"stacksnap/format/profile"
	"stacksnap/format/text"
	"stacksnap/format/words"
)

func TestGolden(t *testing.T) {
	tree := text.Tree(words.Options{})
	for _, c := range []struct {
		name    string
		write   words.Writer
		profile *profile.Profile
	}{
		{"linux.txt", tree, fixtures.Linux()},
		{"linux_color.txt", text.Tree(words.Options{Color: true}), fixtures.Linux()},
		{"darwin.txt", tree, fixtures.Darwin()},
		{"darwin_merge.txt", tree, fixtures.Darwin().FoldThreads()},
		{"translated.txt", tree, fixtures.Translated()},
		{"translated_live.txt", tree, fixtures.TranslatedLive()},
		{"no_threads.txt", tree, fixtures.NoThreads()},
		{"recursion.txt", tree, fixtures.Recursion(9_000)},
		{"staircase.txt", tree, fixtures.Staircase()},
		{"hostile.txt", tree, fixtures.Hostile()},
		{"sampled.txt", tree, fixtures.Sampled()},
		{"sampled.folded", folded.Write, fixtures.Sampled()},
		{"sampled.json", jsondoc.Write, fixtures.Sampled()},
		{"linux.json", jsondoc.Write, fixtures.Linux()},
		{"linux.folded", folded.Write, fixtures.Linux()},
		{"darwin_merge.json", jsondoc.Write, fixtures.Darwin().FoldThreads()},
		{"hostile.json", jsondoc.Write, fixtures.Hostile()},
		{"hostile.folded", folded.Write, fixtures.Hostile()},
		{"sampled_invert.txt", tree, fixtures.Sampled().Invert()},
		{"sampled_invert.folded", folded.Write, fixtures.Sampled().Invert()},
		{"sampled_focus.txt", tree, fixtures.Sampled().Select(fixtures.Matching("hot|cold"), nil, fixtures.Matching("^__libc"))},
		{"sampled_min.txt", tree, fixtures.Sampled().ByFunction().Prune(12, 2)},
		{"sampled_min.json", jsondoc.Write, fixtures.Sampled().ByFunction().Prune(12, 2)},
		{"sampled_state.txt", tree, fixtures.Stated().GroupBy(profile.ByState)},
		{"sampled_split.txt", tree, fixtures.Stated()},
		{"recursion_process.txt", tree, fixtures.Recursion(30).GroupBy(profile.ByProcess).Prune(0, 3)},
		{"sampled_split_invert.txt", tree, fixtures.Stated().Invert()},
		{"sampled_process.folded", folded.Write, fixtures.Sampled().GroupBy(profile.ByProcess)},
		{"linux_invert.txt", tree, fixtures.Linux().Invert().Prune(0, 2)},
		{"linux_narrow.txt", text.Tree(words.Options{Width: 80}), fixtures.Linux()},
		{"sampled_narrow.txt", text.Tree(words.Options{Width: 80}), fixtures.Sampled()},
		{"darwin_process.txt", tree, fixtures.Darwin().GroupBy(profile.ByProcess)},
		{"darwin_queue.json", jsondoc.Write, fixtures.Darwin().GroupBy(profile.ByQueue)},
		{"darwin_state.folded", folded.Write, fixtures.Darwin().GroupBy(profile.ByState).Invert()},
		{"hostile_view.txt", text.Tree(words.Options{Width: 60}), fixtures.Hostile().Select(fixtures.Matching("x", "\x1b"), nil, nil).Invert()},
		{"hostile_view.json", jsondoc.Write, fixtures.Hostile().Select(fixtures.Matching("x", "\x1b"), nil, nil).Invert()},
		{"recursion_folded.txt", tree, fixtures.Recursion(9_000).FoldRecursion()},
		{"staircase_narrow.txt", text.Tree(words.Options{Width: 60}), fixtures.Staircase()},
	} {
		t.Run(c.name, func(t *testing.T) { fixtures.CheckGolden(t, c.name, fixtures.Written(t, c.write, c.profile)) })
	}
}
