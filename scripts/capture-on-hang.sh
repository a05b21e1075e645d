#!/bin/sh
# Watch a process for hangs, for as long as it is needed. See --help.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib/capture.sh disable=SC1091
. "$here/lib/capture.sh"

usage() {
	cat <<'TEXT'
Usage: capture-on-hang.sh -p PID|NAME [OPTION...] [-- STACKSNAP OPTION...]

Runs stacksnap's hang watch on a process, and keeps it running: given a name it
waits for the process to appear, and for the next one when it has ended; it
pauses while the disk has little room. Each hang is written to DIR.

  -p, --pid PID|NAME   the process: its pid, name or program
      --hang TIME      report the main thread when stuck this long (250ms)
      --max-hang TIME  follow a hang no longer than this (10s)
      --every TIME     also report at this interval, hang or not (never)
      --exec COMMAND   to run after each report
      --dir DIR        where to put what was captured (~/stacksnap)
      --keep N         keep the newest N; 0: all (20)
      --min-free MB    pause while the disk has less room (500)
      --check SECONDS  how often to look at the disk (30)
      --stacksnap PATH the program (beside these scripts, or in the PATH)
  -h, --help           this text

Exit codes: 0 the process of that pid has ended, or a signal ended the watch;
2 usage, or several of that name; 3 no process of that pid; 4 not permitted;
1 anything else.
TEXT
}

hang=250ms max_hang=10s every='' command='' check=30
options="$capture_options hang:text:--hang max_hang:text:--max-hang every:text:--every
	command:text:--exec check:1:--check"
read_options "$@"
shift "$after_options"
[ -n "$target" ] || wrong_usage "which process? give -p PID or -p NAME"

stopping='' told='' watcher='' guard='' full=''
# shellcheck disable=SC2317 # called by the trap
stop() {
	stopping=yes
	[ -n "$watcher" ] || return 0
	told=yes
	kill -TERM "$watcher" 2>/dev/null
}
trap stop INT TERM HUP
trap 'full=yes' USR1
trap '[ -z "$guard" ] || kill "$guard" 2>/dev/null' EXIT

# pause sleeps, but not through a signal.
pause() {
	sleep "$1" &
	wait $!
}

# guard_disk ends the watch $1 when the disk gets full, after telling this script
# so. It ends by itself too: a signal may be lost on a shell just forked.
guard_disk() {
	while kill -0 "$1" 2>/dev/null; do
		if ! has_room "$dir" "$min_free"; then
			kill -USR1 $$
			kill -TERM "$1"
			return
		fi
		sleep "$check"
	done
}

# reap waits for a child's end, also when a signal interrupts the waiting.
reap() {
	while :; do
		wait "$1"
		code=$?
		kill -0 "$1" 2>/dev/null || return "$code"
	done
}

# watch runs stacksnap once, until the process ends or the disk is full.
watch() {
	full=''
	if is_pid "$target"; then
		set -- -p "$target" "$@"
	else
		set -- --wait "$target" "$@"
	fi
	[ -z "$command" ] || set -- "$@" --exec "$command"
	"$stacksnap" "$@" --hang "$hang" --max-hang "$max_hang" ${every:+--every "$every"} --dir "$dir" --keep "$keep" &
	watcher=$!
	# A signal that came before the number was known has not been passed on.
	[ -z "$stopping" ] || [ -n "$told" ] || stop
	guard_disk "$watcher" </dev/null >/dev/null 2>&1 &
	guard=$!
	reap "$watcher"
	ended=$?
	watcher=''
	kill "$guard" 2>/dev/null
	guard=''
	return "$ended"
}

# await_room waits until the disk has room, and says once that it does not.
await_room() {
	[ -n "$full" ] || has_room "$dir" "$min_free" || full=yes
	[ -n "$full" ] || return 0
	note "less than $min_free MB are free for $dir: the watch pauses"
	until [ -n "$stopping" ] || has_room "$dir" "$min_free"; do pause "$check"; done
}

stacksnap=$(find_stacksnap "$program") || exit 1
folder "$dir"
delay=1 longest=60 seen=''
while [ -z "$stopping" ]; do
	await_room
	[ -z "$stopping" ] || break
	watch "$@"
	ended=$?
	[ -z "$stopping" ] || break
	[ -z "$full" ] || continue
	case $ended in
	0 | 5)
		! is_pid "$target" || exit 0
		seen=yes delay=1
		;;
	4) exit 4 ;;
	*)
		if [ -z "$seen" ] || is_pid "$target"; then
			[ "$ended" -le 5 ] || ended=1
			exit "$ended"
		fi
		note "stacksnap ended with $ended; once more in $delay s"
		;;
	esac
	pause "$delay"
	[ "$ended" -eq 0 ] || [ "$ended" -eq 5 ] || delay=$((delay * 2 < longest ? delay * 2 : longest))
done
exit 0
