package cli

// groups returns the table of flags, from which the parser, help, the manual and
// completions are made. [rules] has the permitted combinations.
func (o *Options) groups() []group {
	return []group{
		{"process", o.processFlags()},
		{"samples", o.sampleFlags()},
		{"stops", o.stopFlags()},
		{"threads", o.threadFlags()},
		{"hangs", o.watchFlags()},
		{"report", o.reportFlags()},
		{"view", o.viewFlags()},
		{"other", o.otherFlags()},
	}
}

func (o *Options) processFlags() []flag {
	return []flag{{
		name: "pid", short: "p", value: "PID|NAME", to: &o.Targets, callOnly: true,
		brief: "the process; again, or 1,2,3, for more",
		help: "the process to capture: its pid, its name, or the path of its program; may be given again, or as 1,2,3, for more;" +
			" beside a stackshot or a report of spindump, of all its processes these;" +
			" with diff, that of both stackshots, or once for each",
		example: "stacksnap -p nginx",
	}, {
		name: "tree", to: &o.Tree, callOnly: true,
		brief:   "with all processes that it has started",
		help:    "with all that it has started, a report each: captured one after another at once, or sampled together",
		example: "stacksnap -p 4711 --tree",
	}, {
		name: "all", to: &o.All, callOnly: true,
		help:    "all processes of that name, likewise",
		example: "stacksnap -p nginx --all",
	}, {
		name: "system", to: &o.System, callOnly: true,
		brief: "all processes; nothing is stopped",
		help: "all processes at once, and nothing is stopped: what each thread waits for, and its stack as far as" +
			" it can be had so; -p NAME or PID shows some of them; with -d for a while, by default every 10 ms",
		example: "stacksnap --system -d 10s",
	}, {
		name: "follow-waits", to: &o.FollowWaits, callOnly: true,
		help: "Linux: with the processes that it waits for, and those that these wait for, eight at most, captured after it, or when it was sampled;" +
			" --hang does so by default for the thread that is stuck; --follow-waits=false turns that off",
		example: "stacksnap -p 4711 --follow-waits",
	}, {
		name: "wait", value: "NAME", to: &o.Wait, callOnly: true,
		help:    "wait until a process of that name appears",
		example: "stacksnap --wait nginx -d 10s",
	}, {
		name: "children", to: &o.Children,
		help:    "sample the processes that the command starts, too",
		example: "stacksnap --children -- make",
	}, {
		name: "check", to: &o.Check, callOnly: true,
		brief:   "say what a call would do, and do nothing",
		help:    "say what the call would do, without doing it: whether it may, what it would stop, what has names",
		example: "stacksnap --check -p 4711 -d 10s",
	}}
}

func (o *Options) sampleFlags() []flag {
	return []flag{{
		name: "duration", short: "d", value: "TIME", to: &o.Duration, seconds: true,
		brief:   "sample for so long: where the time goes",
		zero:    "give a time such as 10s, or leave it out for one snapshot",
		help:    "sample for so long (default 10s), or watch for so long (default: until Ctrl-C); 5 is 5s",
		example: "stacksnap -p 4711 -d 2m",
	}, {
		name: "interval", short: "i", value: "TIME", to: &o.interval,
		zero:    "give a time such as 1ms",
		help:    "from one sample to the next (default 1ms; in a hang 10ms)",
		example: "stacksnap -p 4711 -d 10s -i 10ms",
	}, {
		name: "rate", short: "r", value: "N", to: &o.rate,
		zero:    "give how many samples a second, such as 100",
		help:    "so many samples a second, instead of --interval; also -F, as in perf",
		example: "stacksnap -p 4711 -d 10s -r 100",
	}, {
		name: "count", short: "n", value: "N", to: &o.Count,
		zero:    "give at least 1",
		help:    "sample so often; end a watch after so many reports",
		example: "stacksnap -p 4711 -n 500",
	}, {
		name: "jitter", to: &o.Jitter,
		help:    "take each sample at a random time in its interval",
		example: "stacksnap -p 4711 -d 10s --jitter",
	}}
}

func (o *Options) stopFlags() []flag {
	return []flag{{
		name: "suspend", value: "thread|task", to: &o.Suspend, choices: []string{"thread", "task"},
		help: "what is stopped while a sample is taken: one thread after another (which samples, by default for 10s)," +
			" or all at once; the default is whichever suits the target",
		example: "stacksnap -p 4711 -d 10s --suspend task",
	}, {
		name: "no-stop", to: &o.NoStop,
		brief:   "sample without stopping the process",
		help:    "sample without stopping anything, as well as that can be done (by default for 10s)",
		example: "stacksnap -p 4711 --no-stop",
	}, {
		name: "max-stop", value: "TIME", to: &o.MaxStop,
		zero:    "give a time such as 50ms",
		help:    "Linux: how long one stop may take to copy stacks (default 50ms); what is left then is marked as cut",
		example: "stacksnap -p 4711 --max-stop 5ms",
	}}
}

// threadFlags are the flags about threads. A new flag that selects threads also needs: a
// condition in profile.ThreadFilter; its combinations in rules.go; command/open.go, for
// reports that do not have what it selects by; command/watch.go, which watches one thread;
// and a topic in manual/manual.go.
func (o *Options) threadFlags() []flag {
	return []flag{{
		name: "main", to: &o.Filter.Main,
		help:    "only the main thread",
		example: "stacksnap -p 4711 -d 10s --main",
	}, {
		name: "thread", value: "ID|NAME", to: &o.Threads,
		brief:   "only threads of that id or name (worker*)",
		help:    "only threads of that id or name, in which * and ? match anything; may be given again for more",
		example: "stacksnap -p 4711 --thread 'worker*'",
	}, {
		name: "running", to: &o.Filter.Running,
		brief:   "only threads that run: with -d, what burns CPU",
		help:    "only threads that run or wait for a CPU",
		example: "stacksnap -p 4711 --running",
	}, {
		name: "blocked", to: &o.Filter.Blocked,
		help:    "only threads that wait",
		example: "stacksnap -p 4711 --blocked",
	}, {
		name: "only", value: "gil|exception|gc", to: &o.Only, choices: []string{"gil", "exception", "gc"},
		help: "only threads of Python that hold the GIL, that handle or raise an exception, or that collect garbage," +
			" at the moment of the sample; those on a CPU are --running",
		example: "stacksnap -p 4711 -d 10s --only gil",
	}, {
		name: "kernel", to: &o.Kernel,
		help: "the kernel's frames of threads that wait in it, too, inside the program's and marked [k]: for root;" +
			" with --no-stop on Linux of those that run in it, as well",
		example: "stacksnap -p 4711 --kernel",
	}}
}

func (o *Options) watchFlags() []flag {
	return []flag{{
		name: "hang", value: "TIME", to: &o.Hang,
		brief:   "wait, and report when it is stuck so long",
		zero:    "give how long is too long, such as 250ms",
		help:    "watch, and report each time the main thread (or that of --thread ID) is stuck for so long",
		example: "stacksnap -p 4711 --hang 250ms",
	}, {
		name: "max-hang", value: "TIME", to: &o.MaxHang,
		zero:    "give a time such as 10s",
		help:    "sample a hang for so long at most (default 10s)",
		example: "stacksnap -p 4711 --hang 250ms --max-hang 3s",
	}, {
		name: "every", value: "TIME", to: &o.Every,
		zero:    "give a time such as 10m",
		help:    "watch, and report all threads at that interval",
		example: "stacksnap -p 4711 --every 10m",
	}, {
		name: "dir", value: "DIR", to: &o.Dir,
		help:    "where the reports of a watch go, a file and a recording each (default: standard output)",
		example: "stacksnap -p 4711 --hang 1s --dir /var/tmp/hangs",
	}, {
		name: "keep", value: "N", to: &o.Keep,
		help:    "how many of these files to keep (default: all)",
		example: "stacksnap -p 4711 --every 10m --dir /var/tmp/stacks --keep 144",
	}, {
		name: "exec", value: "COMMAND", to: &o.Exec,
		help:    "a shell command to run on each report of a watch; STACKSNAP_FILE names the report, if it is a file",
		example: `stacksnap -p 42 --hang 1s --dir hangs --exec 'notify "$STACKSNAP_FILE"'`,
	}}
}

func (o *Options) reportFlags() []flag {
	return []flag{{
		name: "format", short: "f", value: "FORMAT", to: &o.Format, choices: formats(),
		brief: "summary, json, folded, pprof: see help formats",
		help: "of the report: " + either(formats()) + " (default: what the name of --output says, else tree);" +
			" with several --output, of those whose names do not say it",
		example: "stacksnap -p 4711 -d 10s -f folded",
	}, {
		name: "output", short: "o", value: "FILE", to: &o.outputs,
		brief: "write to a file; its name says the format",
		help: "the file to write the report to, whole or not at all; its name says the format (" + extensions() + ")," +
			" and that it is to be compressed (.gz, .zst); FILE.snap is recorded, as by --save; - is standard output, also with -- COMMAND; may be given again for more",
		example: "stacksnap -p 4711 -d 10s -o report.txt -o it.pb.gz -o it.speedscope.json",
	}, {
		name: "open", to: &o.OpenPage,
		help:    "show the page that was written to an .html file in the browser",
		example: "stacksnap -p 4711 -d 10s -o it.html --open",
	}, {
		name: "save", value: "FILE", to: &o.Save,
		brief:   "record, to open it later anywhere: it.snap",
		help:    "the file to record to, from which the report can be made again anywhere",
		example: "stacksnap -p 4711 -d 10s --save it.snap",
	}, {
		name: "merge", to: &o.Merge,
		help:    "print threads that have the same stack once: also two or three, and in JSON",
		example: "stacksnap -p 4711 --merge",
	}, {
		name: "no-merge", to: &o.NoMerge,
		help:    "print each thread by itself, also of four and more that have the same stack",
		example: "stacksnap -p 4711 --no-merge",
	}, {
		name: "addresses", to: &o.Addresses,
		help: "print each frame in a line of its own, and in trees of samples, too, the addresses of frames and where they are in their functions, how the time of each was spent," +
			" and where the images are",
		example: "stacksnap -p 4711 -d 10s --addresses",
	}, {
		name: "native", to: &o.Native,
		help:    "show the interpreter's own frames, too, beside those of Python functions",
		example: "stacksnap -p 4711 --native",
	}, {
		name: "no-runtimes", to: &o.NoRuntimes,
		help:    "show native frames alone: functions of interpreted languages are not read",
		example: "stacksnap -p 4711 --no-runtimes",
	}, {
		name: "no-inlines", to: &o.NoInlines,
		help:    "count inlined calls as the function that they are in",
		example: "stacksnap -p 4711 -d 10s --no-inlines",
	}, {
		name: "no-demangle", to: &o.NoDemangle,
		help:    "print the names of functions as their files have them",
		example: "stacksnap -p 4711 --no-demangle",
	}, {
		name: "color", value: "WHEN", to: &o.Color, choices: []string{"auto", "always", "never"},
		help:    "colour: auto (on a terminal, unless NO_COLOR is set), always or never",
		example: "stacksnap -p 4711 --color never",
	}, {
		name: "symbols", value: "PATH", to: &o.Symbols,
		brief: "names for stripped programs: dSYM, .debug",
		help: "where names are, for what the target's own files lack: a dSYM or debug file, or a folder or bundle with such at any depth," +
			" known by UUID or build-id; may be given again for more",
		example: "stacksnap it.snap --symbols App.xcarchive",
	}, {
		name: "binaries", value: "DIR", to: &o.Binaries,
		help: "a folder with the files of the machine that a core or recording is of, or the root of its system:" +
			" as --symbols, and what a core does not hold is read from there, of a Mac also from dyld's shared cache;" +
			" may be given again for more",
		example: "stacksnap it.core --binaries symbols",
	}, {
		name: "debuginfod", to: &o.Debuginfod,
		help: "ask the servers in DEBUGINFOD_URLS for the debug files that are not here, once the target runs on:" +
			" for two minutes at most, and kept where elfutils keeps them",
		example: "stacksnap -p 4711 --debuginfod",
	}, {
		name: "header", to: &o.Header,
		help:    "print the facts about the process and the capture first, not last",
		example: "stacksnap -p 4711 --header",
	}}
}

func (o *Options) viewFlags() []flag {
	return []flag{{
		name: "focus", value: "RE", to: &o.View.focus,
		help: "only stacks with a function that the regular expression (of Go) matches: its name as shown, but whole," +
			" or as the file has it; may be given again for more, any of which may match",
		example: "stacksnap -p 4711 -d 10s --focus '^parse_|Lexer::'",
	}, {
		name: "ignore", value: "RE", to: &o.View.ignore,
		help:    "likewise, only stacks without such a function",
		example: "stacksnap -p 4711 --ignore 'epoll_wait|futex'",
	}, {
		name: "hide", value: "RE", to: &o.View.hide,
		help:    "leave out frames of such functions, which only pass through: what they call takes their place",
		example: "stacksnap -p 4711 -d 10s --hide '^std::|^boost::'",
	}, {
		name: "invert", to: &o.View.invert,
		brief:   "innermost functions first, callers below them",
		help:    "the innermost functions first, and below each those that called it; with --running, what burns CPU",
		example: "stacksnap -p 4711 -d 10s --invert --by process",
	}, {
		name: "min", value: "SHARE", to: &o.View.Min, // its defaults: leastShown in package out, leastChange in command/diff.go
		brief: "leave out branches of less than, say, 1%",
		help: "fold branches with a smaller share of their thread's samples into a line that counts them;" +
			" the tree of samples leaves out those of less than 1% by default, and 0 shows all",
		example: "stacksnap -p 4711 -d 10s --min 1%",
	}, {
		name: "depth", value: "N", to: &o.View.Depth,
		zero:    "give at least 1",
		help:    "fold what is deeper than so many frames, likewise",
		example: "stacksnap -p 4711 --invert --depth 5",
	}, {
		name: "by", value: "WHAT", to: &o.View.By, choices: Groupings(),
		help:    "a tree for each thread (the default), queue (dispatch queues of macOS), process, or state",
		example: "stacksnap -p 4711 -d 10s --by state",
	}, {
		name: "fold-recursion", to: &o.View.noRecursion,
		help: "show the rounds of a recursion, of up to eight functions, as one;" +
			" the tree of samples does so by default where a function calls itself, and --fold-recursion=false turns that off",
		example: "stacksnap -p 4711 -d 10s --fold-recursion",
	}, {
		name: "measure", value: "WHAT", to: &o.Measure, choices: measures(),
		help:    "of a diff: CPU time (the default where both files have it), or samples, which are all time, that of waiting too",
		example: "stacksnap diff old.snap new.snap --measure samples",
	}, {
		name: "scale", value: "WHAT", to: &o.Scale, choices: Scales(),
		help: "of a diff: shares of each side's total (the default), of the time that each was sampled for," +
			" which shows that it all grew, or none: as counted",
		example: "stacksnap diff old.snap new.snap --scale time",
	}, {
		name: "no-pager", to: &o.NoPager,
		help:    "print a report that is longer than the terminal as it is, not by $PAGER (default less)",
		example: "stacksnap -p 4711 --no-pager",
	}}
}

func (o *Options) otherFlags() []flag {
	return []flag{{
		name: "push", value: "URL", to: &o.Push,
		help: "send the profile to a server, too: by OpenTelemetry's protocol (http:// or https://HOST:4318)," +
			" or to Grafana Pyroscope (pyroscope+http://HOST:4040); env takes what OTEL_EXPORTER_OTLP_ENDPOINT has",
		example: "stacksnap -p 4711 --hang 250ms --push http://localhost:4318",
	}, {
		name: "push-headers", value: "FILE", to: &o.PushHeaders,
		help: "a file with headers for that server, such as its token, a line each (Authorization: Bearer TOKEN);" +
			" besides those in OTEL_EXPORTER_OTLP_HEADERS and STACKSNAP_PUSH_HEADERS",
		example: "stacksnap -p 4711 --push https://example.org --push-headers token",
	}, {
		name: "spool", value: "DIR", to: &o.Spool,
		help: "where profiles wait that the server does not take yet, for up to a week, 256 MB and 10,000 files:" +
			" sent by the next call with the same --push (default: a folder of the user's)",
		example: "stacksnap -p 42 --every 10m --push http://localhost:4318 --spool spool",
	}, {
		name: "sign", to: &o.sign, callOnly: true,
		help:    "macOS: sign this program so that it may read others",
		example: "stacksnap --sign",
	}, {
		name: "version", short: "V", to: &o.version, callOnly: true,
		help:    "print the version",
		example: "stacksnap --version",
	}}
}
