package cli

import (
	"stacksnap/format"

	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// rule is a row of the table of forbidden combinations. It is broken if one of flags is
// given together with one of with (or at all, if with is empty), unless one of needs is given.
//
// Each word is a term: the name of a flag; NAME=VALUE for one of its values; or one of
// these conditions: "command" (there is a command behind --), "file" (the target is
// a core, a recording or a report), "sampling" (many snapshots are to be taken), "several"
// (processes: more than one --pid, --tree, --all), "diff" (two files), "top" (a live view), "page" (an html
// report goes to a file), "anything" (whatever else there is).
type rule struct {
	flags, with, needs string
	line               string // the error; {target}, {flags} and {with} are replaced by the given ones
}

// rules is the table of forbidden combinations. The first broken rule is the error; a
// combination that no rule forbids is valid.
var rules = sync.OnceValue(func() []rule {
	return []rule{{
		flags: "top", with: "command file diff",
		line: "top is for a process that runs already: give its pid or its name",
	}, {
		flags: "top", with: "tree all several",
		line: "top is of one process: leave out --tree, --all and a second -p",
	}, {
		flags: "follow-waits", with: "command file diff top check",
		line: "--follow-waits is for a process that runs, in a snapshot, in samples or with --hang: leave it out",
	}, {
		flags: "follow-waits", with: "every", needs: "hang",
		line: "--follow-waits is for a snapshot, for samples or for --hang: leave it out, or give --hang beside --every",
	}, {
		flags: "follow-waits", with: "save", needs: "hang",
		line: "--save records one process: leave out --follow-waits, or write a report with -o",
	}, {
		flags: "top", with: "check hang every max-hang dir keep exec push",
		line: "top samples, and shows that: leave out {with}",
	}, {
		flags: "top", with: "format output open merge no-merge no-inlines no-demangle no-pager header addresses " + views,
		line: "top has keys for what it shows and writes (? lists them): leave out {with}",
	}, {
		flags: "pid wait command", with: "pid wait command",
		line: "give one of -p, --wait and -- COMMAND",
	}, {
		flags: "sign", with: "anything",
		line: "--sign signs this program and does nothing else: leave out the rest",
	}, {
		flags: "check", with: "command file",
		line: "--check is about a process that runs: give its pid or its name",
	}, {
		flags: "tree all", with: "command",
		line: "--tree and --all are for processes that run: with -- COMMAND, --children samples those that it starts",
	}, {
		flags: "system", with: "command wait tree all children top follow-waits",
		line: "--system is of all processes that run: leave out {with}; -p NAME or PID shows some of them",
	}, {
		flags: "system", with: "check hang every",
		line: "--system reports on all processes, once or for a while: leave out {with}",
	}, {
		flags: "system", with: "suspend no-stop max-stop",
		line: "--system stops nothing: leave out {with}",
	}, {
		flags: "all", with: "wait",
		line: "--wait waits for one process: leave out --all",
	}, {
		flags: "tree all several", with: "file",
		line: "{target} is a file: it is opened alone, without --tree, --all or a second -p",
	}, {
		flags: "tree all several", with: "check",
		line: "--check is about one process: leave out --tree, --all and a second -p",
	}, {
		flags: "tree all several", with: "hang every",
		line: "--hang and --every watch one process: leave out --tree, --all and a second -p",
	}, {
		flags: "tree all several", with: "save",
		line: "--save records one process: leave out --tree, --all and a second -p, or write a report with -o",
	}, {
		flags: "check", with: "thread main running blocked kernel dir keep exec format output open save merge no-merge header addresses no-inlines no-demangle debuginfod " + views,
		line: "--check captures nothing and prints lines of its own: leave out {with}",
	}, {
		flags: "duration interval rate count jitter suspend no-stop max-stop hang max-hang every dir keep exec children system kernel", with: "file",
		line: "{target} is a file: it cannot be sampled or watched; leave out {flags}",
	}, {
		flags: "push", with: "check diff",
		line: "--push sends what is captured: leave it out with {with}",
	}, {
		flags: "push-headers spool", needs: "push",
		line: "--push-headers and --spool say how --push sends: give it, too",
	}, {
		flags: "invert by", with: "push",
		line: "what --push sends to turns trees and puts threads together by itself: leave out {flags}",
	}, {
		flags: "diff", with: "save merge main thread running blocked",
		line: "diff compares what was captured, all of it: leave out {with}",
	}, {
		flags: "diff", with: formsThat(func(f format.Format) bool { return !f.Diffs }),
		line: "a diff is written as " + either(namesOf(func(f format.Format) bool { return f.Diffs })) + ": leave out {with}",
	}, {
		flags: "native", with: "no-runtimes",
		line: "--native shows both, and --no-runtimes native frames alone: give one of them",
	}, {
		flags: "native no-runtimes", with: "check diff",
		line: "{flags} is of captures that read the memory of a process: leave it out with {with}",
	}, {
		flags: "header no-merge addresses", with: "diff",
		line: "{flags} is of a report on processes, not of a diff: leave it out",
	}, {
		flags: "measure scale", needs: "diff",
		line: "--measure and --scale say how files are compared: they go with diff BEFORE AFTER",
	}, {
		flags: "rate", with: "interval",
		line: "give --rate or --interval, not both",
	}, {
		flags: "merge", with: formsThat(func(f format.Format) bool { return !f.Hangs }),
		line: "--merge goes with tree, json and jsonl, not with {with}: leave one of them out",
	}, {
		flags: "merge", with: "no-merge",
		line: "--merge puts threads together, and --no-merge does not: give one of them",
	}, {
		flags: "merge", with: "by=queue by=process by=state",
		line: "--merge and --by put threads together, each in its way: give one of them",
	}, {
		flags: "min", needs: "sampling file hang by=queue by=process by=state",
		line: "--min is a share of samples or threads: it goes with sampling, --hang, or --by process, queue or state",
	}, {
		flags: "invert by", with: "format=pprof",
		line: "pprof turns trees and puts threads together by itself: leave out {flags}",
	}, {
		flags: "invert by", with: "format=otlp",
		line: "what reads OTLP turns trees and puts threads together by itself: leave out {flags}",
	}, {
		flags: "invert", with: "format=speedscope",
		line: "speedscope turns trees by itself: leave out {flags}",
	}, {
		flags: "invert min depth by", with: "format=firefox format=chrome",
		line: "{with} has each thread as it was, and what opens that turns and folds: leave out {flags}",
	}, {
		flags: "invert min depth by", with: "format=sample format=spindump format=spindump-timeline",
		line: "a report of sample or spindump has whole threads as they called: leave out {flags}",
	}, {
		flags: "invert min depth by hide fold-recursion", with: "format=ips format=crash",
		line: "a report of a crash has whole stacks: leave out {flags}",
	}, {
		flags: "sampling tree all several system follow-waits", with: "format=ips format=crash",
		line: "{with} is of one snapshot of one process: leave out {flags}",
	}, {
		flags: "merge invert min depth by fold-recursion", with: "format=summary",
		line: "-f summary chooses by itself what is worth a line: leave out {flags}",
	}, {
		flags: "open", needs: "page",
		line: "--open shows a page that was written to a file: give -o FILE.html with it",
	}, {
		flags: "jitter", with: "hang every",
		line: "--jitter goes with sampling, not with --hang or --every",
	}, {
		flags: "jitter", needs: "sampling",
		line: "--jitter goes with sampling: give --duration, --count or --rate",
	}, {
		flags: "max-hang", needs: "hang",
		line: "--max-hang goes with --hang",
	}, {
		flags: "hang every", with: "command",
		line: "--hang and --every watch a process that runs already: start the program by itself, and give its pid",
	}, {
		flags: "dir keep exec", needs: "hang every",
		line: "--dir, --keep and --exec go with --hang or --every",
	}, {
		flags: "keep", needs: "dir",
		line: "--keep says how many files to keep in a folder: it goes with --dir",
	}, {
		flags: "children", needs: "command",
		line: "--children goes with -- COMMAND, and without --save",
	}, {
		flags: "children", with: "save",
		line: "--children goes with -- COMMAND, and without --save",
	}, {
		flags: "debuginfod", with: "hang every",
		line: "a watch has no time to wait for servers: give --debuginfod with the recordings that it makes in --dir",
	}, {
		flags: "no-demangle", with: "hang every",
		line: "a watch tells names as people know them: give --no-demangle with the recordings that it makes in --dir",
	}, {
		flags: "no-stop", with: "suspend",
		line: "give --suspend or --no-stop, not both",
	}, {
		flags: "hang every", with: "save output " + formsThat(func(f format.Format) bool { return !f.Hangs }),
		line: "a watch writes to --dir, as tree, summary, json or jsonl: no --save, --output or other --format",
	}, {
		flags: "hang every", with: "running blocked",
		line: "a watch reports all threads: no --running or --blocked",
	}, {
		flags: "only", with: "check diff hang every follow-waits no-runtimes file",
		line: "--only selects what live threads do at the moment of each sample: leave it out with {with}",
	}, {
		flags: "main thread", with: "every", needs: "hang",
		line: "--every reports all threads: --main and --thread go with --hang",
	}, {
		flags: "interval rate", with: "every", needs: "hang",
		line: "--interval and --rate say how often a hang is sampled: they go with --hang, not with --every alone",
	}, {
		flags: "hang every", with: "no-stop suspend=thread",
		line: "the reports of a watch stop all threads at once: no --no-stop or --suspend thread",
	}}
})

// views are the flags that select and fold what a report shows.
const views = "focus ignore hide invert min depth by fold-recursion"

// conflictError is the error of a broken rule.
type conflictError struct {
	rule  *rule
	terms []string // the rule's terms that were given
	line  string
}

func (e *conflictError) Error() string { return e.line }

// combination returns the first broken rule as a *[conflictError], or nil.
func (o *Options) combination() error {
	for i := range rules() {
		if err := o.breaks(&rules()[i]); err != nil {
			return err
		}
	}
	return nil
}

// breaks returns an error if the options break a rule.
func (o *Options) breaks(r *rule) error {
	flags := o.given(r.flags)
	if len(flags) == 0 || len(o.given(r.needs)) > 0 {
		return nil
	}
	with := o.given(r.with)
	if r.with != "" && (len(with) == 0 || len(flags) == 1 && len(with) == 1 && flags[0] == with[0]) {
		return nil
	}
	line := strings.NewReplacer("{target}", o.Target, "{flags}", list(spelled(flags), " and "), "{with}", list(spelled(with), " and ")).Replace(r.line)
	if o.savedBy != "" {
		line = strings.ReplaceAll(line, "--save", o.savedBy)
	}
	return &conflictError{rule: r, terms: append(flags, with...), line: line}
}

// given returns the terms that the options satisfy.
func (o *Options) given(terms string) (have []string) {
	for term := range strings.FieldsSeq(terms) {
		if o.Has(term) {
			have = append(have, term)
		}
	}
	return have
}

// Has reports whether the options satisfy a term. A switch that is turned off does not
// count.
func (o *Options) Has(term string) bool {
	switch term {
	case "command":
		return len(o.Command) > 0
	case "file":
		return o.file
	case "sampling":
		return o.Samples()
	case "several":
		return o.several()
	case diffWord:
		return len(o.Compared) > 0
	case topWord:
		return o.top
	case "page":
		return slices.ContainsFunc(o.Destinations(), func(d Destination) bool { return d.IsPage() })
	case "anything":
		return o.flags.NFlag() > 1 || o.top || o.Target != "" || len(o.Command) > 0
	}
	name, value, isValue := strings.Cut(term, "=")
	f := o.flags.Lookup(name)
	if isValue && name == "format" { // file names may set it too
		return slices.ContainsFunc(o.Destinations(), func(d Destination) bool { return d.Form.Name == value })
	}
	if isValue {
		return f.Value.String() == value
	}
	return f.Changed && !(f.Value.Type() == "bool" && f.Value.String() == "false")
}

// spelled returns terms as they appear on a command line.
func spelled(terms []string) []string {
	words := make([]string, len(terms))
	for i, term := range terms {
		words[i] = spell(term)
	}
	return words
}

// spell returns a term as it appears on a command line.
func spell(term string) string {
	switch term {
	case "command":
		return "-- COMMAND"
	case "file":
		return "a core, a recording or a report"
	case "sampling":
		return "sampling"
	case "several":
		return "several processes"
	case diffWord, topWord:
		return term
	case "page":
		return "a page in a file"
	case "anything":
		return "anything else"
	}
	return "--" + strings.Replace(term, "=", " ", 1)
}

// checkTogether returns an error for values that are invalid together, which rules on flags
// cannot express.
func (o *Options) checkTogether() error {
	switch {
	case o.Has("rate") && !(o.rate >= minRate && o.rate <= maxRate):
		return fmt.Errorf("--rate is from %g to %g samples a second", minRate, maxRate)
	case o.Watches() && o.Filter.Main && len(o.Threads) > 0:
		return errors.New("a watch is of one thread: give --main or --thread, not both")
	case o.Watches() && (len(o.Threads) > 1 || len(o.Filter.Names) > 0):
		return errors.New("a watch takes one --thread, by its id")
	case o.FollowWaits && !o.Watches() && o.Samples() && o.several():
		return errors.New("--follow-waits with samples is of one process: leave out --tree, --all and a second -p, or what asks for samples")
	}
	return cmp.Or(o.checkOutputs(), o.View.compile(), o.Filter.Check()) // a line, not several
}
