#!/bin/sh
# Record a process whenever it uses much CPU. See --help.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib/capture.sh disable=SC1091
. "$here/lib/capture.sh"

usage() {
	cat <<'TEXT'
Usage: capture-on-cpu.sh -p PID|NAME [OPTION...] [-- STACKSNAP OPTION...]

Watches a process, and takes a recording when it has used more CPU than a
threshold over the last seconds: DIR/stacksnap-NAME-PID-20261121T091500Z.snap,
which "stacksnap FILE" opens. Given a name, it waits for the process to appear,
and goes on with the next one of that name when it has ended.

  -p, --pid PID|NAME   the process: its pid, name or program
      --above PERCENT  of one core; two busy threads are 200 (80)
      --for SECONDS    over how long this is measured (5)
  -d, --duration TIME  how long to sample then (10s)
      --every SECONDS  no more than one recording in this time (600)
      --count N        end after so many recordings; 0: never (0)
      --check SECONDS  how often to look (1)
      --dir DIR        where to put recordings (~/stacksnap)
      --keep N         keep the newest N recordings of this name; 0: all (20)
      --min-free MB    take none when the disk has less room (500)
      --stacksnap PATH the program (beside these scripts, or in the PATH)
  -h, --help           this text

Exit codes: 0 the process of that pid has ended, --count was reached, or a
signal ended the watch; 2 usage, or several of that name; 3 no process of that
pid; 4 not permitted; 1 anything else.
TEXT
}

above=80 span=5 duration=10s every=600 count=0 check=1
options="$capture_options duration:text:-d:--duration above:1:--above span:1:--for
	every:0:--every count:0:--count check:1:--check"
read_options "$@"
shift "$after_options"
[ -n "$target" ] || wrong_usage "which process? give -p PID or -p NAME"

# now sets now, in hundredths of a second since any moment.
now() {
	if [ -r /proc/uptime ]; then
		read -r now _ </proc/uptime
		now=${now%.*}${now#*.}
	else
		now=$(perl -MTime::HiRes=time -e 'printf "%d", time * 100' 2>/dev/null) || now=$(date +%s)00
	fi
}

# used sets used to the CPU time of a pid in hundredths of a second, and born to
# what tells it from a later process of the same pid. Returns 1 when it has ended.
used() {
	if [ -r /proc/self/stat ]; then
		used_linux "$1"
	else
		used_ps "$1"
	fi
}

# /proc/PID/stat counts in USER_HZ, which is 100; proc(5): after the name in
# parentheses the state is field 3, utime 14, stime 15 and starttime 22.
used_linux() {
	line=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
	# shellcheck disable=SC2086 # its fields are wanted
	set -- ${line##*) }
	[ $# -ge 20 ] && [ "$1" != Z ] || return 1
	used=$((${12} + ${13})) born=${20}
}

# ps has [DD-][HH:]MM:SS, on macOS with hundredths of a second.
used_ps() {
	line=$(LC_ALL=C ps -o stat= -o time= -o lstart= -p "$1" 2>/dev/null)
	case $line in '' | Z* | [!A-Z]*) return 1 ;; esac
	used=$(echo "$line" | awk '{
		days = 0; time = $2
		if (split(time, d, "-") == 2) { days = d[1]; time = d[2] }
		n = split(time, part, ":"); s = 0
		for (i = 1; i <= n; i++) s = s * 60 + part[i]
		printf "%d", (days * 86400 + s) * 100 + 0.5 }')
	born=$(echo "$line" | awk '{ $1 = $2 = ""; print }')
}

# measure sets share to the CPU use in percent of one core over the last span,
# from a window of TIME:USED, oldest first. Returns 1 while there is less.
measure() {
	window="$window $now:$used"
	# shellcheck disable=SC2086 # the window is a list
	set -- $window
	while [ $# -gt 2 ] && [ $((now - ${2%:*})) -ge $((span * 100)) ]; do shift; done
	window=$*
	elapsed=$((now - ${1%:*}))
	if [ "$elapsed" -lt 0 ]; then # the clock was set back
		window=''
		return 1
	fi
	[ "$elapsed" -ge $((span * 100)) ] || return 1
	share=$(((used - ${1#*:}) * 100 / elapsed))
}

# A signal ends the watch when what runs then has ended: a terminal's Ctrl-C has
# reached stacksnap too, which then ends early, and its recording is kept.
stopping=''
trap 'stopping=yes' INT TERM HUP

# watch follows one process until it has ended; its return is that of a refusal.
watch() {
	window='' first=''
	while [ -z "$stopping" ] && used "$pid"; do
		[ "${first:=$born}" = "$born" ] || return 0 # another process by now
		now
		if measure && [ "$share" -gt "$above" ] && { [ -z "$last" ] || [ $((now - last)) -ge $((every * 100)) ]; }; then
			note "$name [$pid] has used $share % of a core for $span s"
			last=$now window=''
			record "$name" "$pid" -d "$duration" "$@"
			case $? in
			0 | 5) taken=$((taken + 1)) ;;
			2 | 4) return "$code" ;;
			esac
			[ "$taken" -ne "$count" ] || [ "$count" -eq 0 ] || return 0
		fi
		sleep "$check"
	done
}

# is_over tells whether the watch as a whole has ended.
is_over() {
	[ -n "$stopping" ] || is_pid "$target" || { [ "$count" -gt 0 ] && [ "$taken" -ge "$count" ]; }
}

stacksnap=$(find_stacksnap "$program") || exit 1
folder "$dir"
taken=0 last='' seen=''
while [ -z "$stopping" ]; do
	one_pid "$target"
	found=$?
	if [ "$found" -eq 0 ]; then
		seen=yes name=$(name_of "$pid")
		watch "$@" || exit $?
		is_over && break
	elif [ -z "$seen" ] && { [ "$found" -eq 2 ] || is_pid "$target"; }; then
		[ "$found" -ne 3 ] || note "no process is $target"
		exit "$found"
	fi
	[ -n "$stopping" ] || sleep "$check"
done
exit 0
