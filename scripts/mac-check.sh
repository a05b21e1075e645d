#!/bin/sh
# Check stacksnap on a Mac: the live tests natively, and one-shots beside Apple's
# own tools.
set -u

usage() {
	cat <<'TEXT'
Usage: scripts/mac-check.sh [-o FOLDER] [--no-tests]

Builds and signs stacksnap, runs the live tests (scripts/darwinlive) on this Mac,
and looks at a C program, a Swift program and a program of the system with
stacksnap, sample and lldb. Needs Go and Xcode's command line tools.

  -o FOLDER    where the results go, which must be new or empty (default:
               mac-check-DATE-TIME)
  --no-tests   without the live tests

It prints a summary, to be pasted into an issue, which is FOLDER/summary.txt, too.
FOLDER.tar.gz has all results and recordings; these open on any system. Programs
are read without root where macOS lets us, else with "sudo -n": run "sudo -v"
before. Nothing but these programs, which are our own, is looked at.

Exit codes: 0 all is well, 1 something is not, 2 called wrongly.
TEXT
}

fail() {
	echo "mac-check.sh: $1" >&2
	exit 1
}

wrong() {
	echo "mac-check.sh: $1 (see --help)" >&2
	exit 2
}

out=mac-check-$(date +%Y%m%d-%H%M%S)
tests=yes
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		usage
		exit 0
		;;
	-o)
		[ -n "${2-}" ] || wrong "-o needs a folder"
		out=$2
		shift
		;;
	--no-tests) tests=no ;;
	*) wrong "no such option: $1" ;;
	esac
	shift
done

system=$(uname -s)
[ "$system" = Darwin ] || fail "this checks a Mac, and the system here is $system"
# Without the command line tools cc and lldb are there, and open a dialogue.
xcode-select -p >/dev/null 2>&1 || fail "Xcode's command line tools are missing: xcode-select --install"
for tool in go cc codesign sample; do
	command -v "$tool" >/dev/null || fail "$tool is missing: install Go, and Xcode's command line tools with xcode-select --install"
done

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
mkdir -p -- "$out" || fail "$out cannot be made"
out=$(cd -- "$out" && pwd) || exit 1
[ -z "$(ls -A "$out")" ] || fail "$out is not empty: name another folder with -o"
summary=$out/summary.txt
: >"$summary" || fail "$summary cannot be written"
snap=$out/stacksnap
lldb=$(command -v lldb || echo xcrun lldb)
verdict=0
targets=
cache=
reader=
starting= # a process is forked whose number is not noted yet
signalled=
as= # what a reader is run by: nothing, or sudo where only root may read

# shellcheck disable=SC2317,SC2329 # called by the trap
cleanup() {
	for pid in $targets; do
		kill "$pid" 2>/dev/null
	done
	[ -z "$reader" ] || end_reader
	# shellcheck disable=SC2086 # several words, or none
	[ -z "$cache" ] || $as rm -rf "$cache"
}

# shellcheck disable=SC2317,SC2329 # called by the trap
interrupted() {
	signalled=yes
	[ -z "$starting" ] || return 0
	trap '' INT TERM HUP
	say "interrupted" >&3
	archive
	exit 1
}
exec 3>&1 # traps run with the output of the command that they interrupt
trap cleanup EXIT
trap interrupted INT TERM HUP

# noted ends what began with starting=yes: a process has been started, and cleanup
# knows of it. A signal that came between has waited for that.
noted() {
	starting=
	[ -z "$signalled" ] || interrupted
}

say() { printf '%s\n' "$*" | tee -a "$summary"; }

# line NAME WORDS... is a line of the table that is no check.
line() {
	name=$1
	shift
	say "$(printf '%-32s %s' "$name" "$*")"
}

# check NAME STATUS WORDS... says how a check ended.
check() {
	name=$1
	if [ "$2" -eq 0 ]; then
		word=ok
	else
		word=FAILED
		verdict=1
	fi
	shift 2
	line "$name" "$(printf '%-7s %s' "$word" "$*")"
}

# first FILE has the first lines of a failure in the summary.
first() { sed -n '1,12s/^/    /p' "$1" | tee -a "$summary"; }

last() { tail -n 1 "$1" 2>/dev/null; }

# limited SECONDS COMMAND... ends a command that takes too long; macOS has no
# timeout(1). The shell between is there to be asked after: we may not ask for a
# process of root's.
limited() {
	left=$(($1 * 5))
	shift
	starting=yes
	("$@"; exit $?) 3>&- &
	reader=$!
	noted
	while kill -0 "$reader" 2>/dev/null; do
		if [ "$left" -le 0 ]; then
			echo "ended, for it took too long: $*" >&2
			end_reader
			left=9
		fi
		left=$((left - 1))
		sleep 0.2
	done
	ended=$reader
	reader=
	wait "$ended"
}

# end_reader ends that command, first so that it can let go of what it looks at.
end_reader() {
	# shellcheck disable=SC2086 # several words, or none
	$as pkill -TERM -P "$reader" 2>/dev/null
	sleep 2
	# shellcheck disable=SC2086
	$as pkill -KILL -P "$reader" 2>/dev/null
	kill -KILL "$reader" 2>/dev/null
}

describe() {
	chip=$(sysctl -n machdep.cpu.brand_string 2>/dev/null)
	[ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" != 1 ] || chip="$chip, translated by Rosetta"
	sip=$(csrutil status 2>/dev/null | head -n 1)
	say "stacksnap mac-check, $(date -u +%Y-%m-%dT%H:%M:%SZ), commit $(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown)"
	say "macOS $(sw_vers -productVersion) ($(sw_vers -buildVersion)), $(uname -m), $(sysctl -n hw.model), $chip, $(sysctl -n hw.ncpu) processors"
	say "${sip:-System Integrity Protection status: unknown}"
	say "developer mode: $(DevToolsSecurity -status 2>/dev/null | head -n 1); user $(id -un), groups $(id -Gn)"
	say "$(go version); $(cc --version 2>/dev/null | head -n 1)"
	say ""
}

build() {
	(cd "$root" && CGO_ENABLED=1 go build -trimpath -o "$snap" . && scripts/sign.sh "$snap") >"$out/build.txt" 2>&1
	status=$?
	check "build and sign" $status "$(last "$out/build.txt")"
	[ $status -eq 0 ] || first "$out/build.txt"
	return $status
}

build_c() {
	cc -O1 -g -o "$out/threads" "$root/scripts/darwinlive/testdata/threads.c" >"$out/c.build.txt" 2>&1
	status=$?
	check "build a C program" $status ""
	[ $status -eq 0 ] || first "$out/c.build.txt"
	return $status
}

# start NAME PROGRAM ARGUMENT... starts a target, and sets pid when it is ready.
start() {
	said=$out/$1.said.txt
	shift
	pid=
	: >"$said"
	starting=yes
	"$@" >"$said" 2>&1 3>&- &
	child=$!
	targets="$targets $child"
	noted
	tries=100
	while [ $tries -gt 0 ]; do
		if grep -q "^$child ready\$" "$said"; then
			pid=$child
			return 0
		fi
		tries=$((tries - 1))
		sleep 0.3
	done
	return 1
}

may_sudo() { [ "$(id -u)" != 0 ] && sudo -n true 2>/dev/null; }

# What root has written is ours to read.
own_results() { [ -z "$as" ] || $as chown -R "$(id -u)" "$out"; }

# take_root has all that follows read as root, where we may.
take_root() {
	may_sudo || return
	as="sudo -n"
	line "" "all that follows is read as root"
}

# A program of our own is read without root, or that is refused in one line and
# root is taken, where we may.
without_root() {
	if ! start probe "$out/threads" 1; then
		check "a C program runs" 1 "$(last "$said")"
		return 1
	fi
	limited 60 "$snap" -p "$pid" >"$out/probe.stacksnap.txt" 2>"$out/probe.err"
	shot=$?
	kill "$pid"
	if [ "$(id -u)" = 0 ]; then
		line "without root" "not tried: this is root"
	elif [ $shot -eq 0 ]; then
		check "without root" 0 "programs of one's own are read"
	elif [ $shot -eq 4 ]; then
		[ "$(grep -c . "$out/probe.err")" -eq 1 ]
		check "without root" $? "refused: $(last "$out/probe.err")"
		take_root
	elif grep -q 'took too long' "$out/probe.err"; then
		line "without root" "macOS asks for consent, which nobody gave: sudo DevToolsSecurity -enable"
		take_root || check "without root" 1 "nothing can be read: run sudo -v before"
	else
		check "without root" 1 "exit $shot"
		first "$out/probe.err"
	fi
	return 0
}

# The tests build what they run. As root they do so with a cache of their own, for
# what root writes to ours we could not write again.
live_tests() {
	set --
	if [ -n "$as" ]; then
		cache=$(mktemp -d) || return
		# shellcheck disable=SC2086 # two words
		set -- $as env "PATH=$PATH" "HOME=$HOME" "GOCACHE=$cache" "GOMODCACHE=$(go env GOMODCACHE)" GOFLAGS=-buildvcs=false
	fi
	echo "the live tests run, for some minutes: $out/live.txt" >&2
	(cd "$root" && "$@" go test -count=1 -v -timeout 40m -tags darwinlive ./scripts/darwinlive) >"$out/live.txt" 2>&1
	status=$?
	passed=$(grep -c '^--- PASS' "$out/live.txt")
	failed=$(grep -c '^--- FAIL' "$out/live.txt")
	[ "$passed" -gt 0 ] || status=1
	check "live tests" $status "$passed passed, $failed failed"
	[ $status -eq 0 ] || failures
}

# failures has the first lines of each test that failed, or of the output where
# none did.
failures() {
	awk '/^=== / { test = $3; next }
		/--- FAIL: / { print; tell($3); some = 1; next }
		/^panic: / { print }
		{ text[test, n[test]++] = $0 }
		END { if (!some) tell(test) }
		function tell(of, i) { for (i = 0; i < n[of] && i < 12; i++) print "    " text[of, i] }' "$out/live.txt" |
		head -n 120 | cut -c 1-300 | tee -a "$summary"
}

# compare NAME PID FUNCTION... looks at a process with all tools. Each must name
# every one of the functions, and the process must run on. What it does on its way to
# be ready is over after a moment.
compare() {
	of=$1
	target=$2
	shift 2
	sleep 1
	# shellcheck disable=SC2086 # several words, or none
	limited 60 $as "$snap" -p "$target" --save "$out/$of.shot.snap" >"$out/$of.stacksnap.txt" 2>"$out/$of.stacksnap.err"
	captured "one-shot" $? "$out/$of.stacksnap"
	# shellcheck disable=SC2086
	limited 60 $as "$snap" -p "$target" -d 1s --save "$out/$of.sampled.snap" >"$out/$of.sampled.txt" 2>"$out/$of.sampled.err"
	captured "sampled" $? "$out/$of.sampled"
	running "stacksnap"
	# shellcheck disable=SC2086
	limited 60 $as sample "$target" 1 -mayDie -file "$out/$of.sample.txt" >"$out/$of.sample.said.txt" 2>&1
	# shellcheck disable=SC2086
	limited 240 $as $lldb -p "$target" -b -o "thread backtrace all" -o detach >"$out/$of.lldb.txt" 2>&1
	running "lldb"
	own_results
	for tool in stacksnap sampled sample lldb; do
		named "$tool" "$@"
	done
	count_threads
	reopen shot stacksnap
	reopen sampled sampled
}

# named TOOL FUNCTION... says which of the functions a tool's report has not.
named() {
	tool=$1
	shift
	lacks=
	for function in "$@"; do
		grep -q "$function" "$out/$of.$tool.txt" 2>/dev/null || lacks="$lacks $function"
	done
	[ -z "$lacks" ]
	check "$of: functions in $tool's" $? "${lacks:+lacks$lacks}"
}

# captured WHAT STATUS FILE judges one run of stacksnap.
captured() {
	walks=$(grep '^Walks that reached the bottom' "$3.txt")
	status=$2
	[ -n "$walks" ] || status=1
	check "$of: $1" "$status" "${walks:-exit $2}"
	[ "$status" -eq 0 ] || first "$3.err"
}

# running WHOM: the target runs on after someone has looked at it.
running() {
	state=$(ps -o stat= -p "$target" | tr -d ' ')
	case $state in
	'' | *[TZ]*) status=1 ;;
	*) status=0 ;;
	esac
	check "$of: runs on after $1" $status "state ${state:-gone}"
}

# The targets have the threads that they began with, so that all must count alike.
# lldb names a thread twice, where it stops it and in the list.
count_threads() {
	ours=$(grep -c '^Thread ' "$out/$of.stacksnap.txt")
	apples=$(grep -Ec '^ +[0-9]+ Thread_' "$out/$of.sample.txt" 2>/dev/null)
	lldbs=$(sed -n 's/^[* ] thread #\([0-9]*\).*/\1/p' "$out/$of.lldb.txt" | sort -u | grep -c .)
	[ "$ours" -gt 0 ] && [ "$ours" -eq "$lldbs" ] && [ "$ours" -eq "${apples:-0}" ]
	check "$of: threads" $? "stacksnap $ours, sample ${apples:-0}, lldb $lldbs"
}

# reopen RECORDING REPORT: the report from a recording is the one that was printed,
# but for a line that says where it is from.
reopen() {
	[ -f "$out/$of.$1.snap" ] || return # has been told
	"$snap" "$out/$of.$1.snap" >"$out/$of.$1.reopened.txt" 2>"$out/$of.$1.reopened.err"
	status=$?
	diff "$out/$of.$2.txt" "$out/$of.$1.reopened.txt" >"$out/$of.$1.diff.txt"
	other=$(grep -c '^[<>]' "$out/$of.$1.diff.txt")
	[ "$other" -le 2 ] || status=1
	check "$of: $1 reopens" $status "$other lines differ"
	[ $status -eq 0 ] || cat "$out/$of.$1.reopened.err" "$out/$of.$1.diff.txt" | sed -n '1,12s/^/    /p' | tee -a "$summary"
}

c_program() {
	if ! start c "$out/threads" 8; then
		check "c: runs" 1 "$(last "$said")"
		return
	fi
	compare c "$pid" call00 call25 call49 onThread
}

write_swift() {
	cat >"$out/target.swift" <<'TEXT'
import Foundation

@inline(never) func innermost() { while true { usleep(20000) } }
@inline(never) func middle() { innermost(); print("never") }
@inline(never) func outermost() { middle(); print("never") }

FileHandle.standardOutput.write("\(getpid()) ready\n".data(using: .utf8)!)
outermost()
TEXT
}

swift_program() {
	if ! command -v swiftc >/dev/null; then
		line "swift" "skipped: there is no swiftc"
		return
	fi
	write_swift
	if ! swiftc -O -g -o "$out/swift-target" "$out/target.swift" >"$out/swift.build.txt" 2>&1; then
		check "build a Swift program" 1 ""
		first "$out/swift.build.txt"
	elif ! start swift "$out/swift-target"; then
		check "swift: runs" 1 "$(last "$said")"
	else
		compare swift "$pid" innermost middle outermost
	fi
}

# A program of the system is guarded by System Integrity Protection, from root too.
# Where that is on, the right answer is one line that says so, or for root what the
# kernel's stackshot shows; and lldb is refused.
system_program() {
	starting=yes
	/bin/sleep 600 3>&- &
	pid=$!
	targets="$targets $pid"
	noted
	sleep 1 # until it is that program
	[ -n "$as" ] || ! may_sudo || as="sudo -n"
	# shellcheck disable=SC2086 # several words, or none
	limited 60 $as "$snap" -p "$pid" >"$out/system.answer.txt" 2>"$out/system.answer.err"
	shot=$?
	case $shot:$sip in
	*disabled.) compare system "$pid" nanosleep ;;
	0:*) by_kernel ;;
	*) refused ;;
	esac
}

by_kernel() {
	grep -q "by the kernel's stackshot" "$out/system.answer.txt" && grep -q '^Thread ' "$out/system.answer.txt"
	check "system: by the kernel's stackshot" $? "$(last "$out/system.answer.err")"
	apples
}

refused() {
	[ $shot -eq 4 ] && [ "$(grep -c . "$out/system.answer.err")" -eq 1 ] && grep -q 'System Integrity Protection' "$out/system.answer.err"
	check "system: refused" $? "exit $shot: $(last "$out/system.answer.err")"
	apples
}

# apples says what Apple's own tools answer.
apples() {
	# shellcheck disable=SC2086 # several words, or none
	limited 60 $as sample "$pid" 1 -mayDie -file "$out/system.sample.txt" >"$out/system.sample.said.txt" 2>&1
	line "system: sample" "exit $?: $(last "$out/system.sample.said.txt")"
	# shellcheck disable=SC2086
	limited 240 $as $lldb -p "$pid" -b -o "thread backtrace all" -o detach >"$out/system.lldb.txt" 2>&1
	line "system: lldb" "exit $?: $(grep -m 1 '^error' "$out/system.lldb.txt" || last "$out/system.lldb.txt")"
	own_results
}

# stacksnap itself is left out: it is made again from the commit.
archive() {
	rm -f "$snap"
	tar -czf "$out.tar.gz" -C "$(dirname "$out")" "$(basename "$out")" || fail "$out.tar.gz cannot be written"
}

describe
if build && build_c && without_root; then
	[ $tests = no ] || live_tests
	c_program
	swift_program
	system_program
fi
say ""
if [ "$verdict" -eq 0 ]; then say "all is well; everything is in $out.tar.gz"; else say "something is not well; everything is in $out.tar.gz"; fi
archive
exit "$verdict"
