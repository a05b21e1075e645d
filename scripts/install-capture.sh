#!/bin/sh
# Set up recordings at regular times, with systemd or launchd. See --help.
# shellcheck disable=SC2317 # functions are called by the names that the action and the system make
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib/capture.sh disable=SC1091
. "$here/lib/capture.sh"

usage() {
	cat <<'TEXT'
Usage: install-capture.sh install -p NAME [OPTION...]
       install-capture.sh remove -p NAME [OPTION...]

Has the system record a process at regular times, by capture.sh, which it runs
from where it is: with systemd a service and a timer stacksnap-capture-NAME,
with launchd a job org.stacksnap.capture.NAME. "remove" takes them away again,
but no recordings. The system's own configuration needs root.

  -p, --pid NAME       the process, by its name
      --every SECONDS  how often (600)
  -d, --duration TIME  how long to sample it each time (10s)
      --dir DIR        where to put recordings (/var/db/stacksnap on macOS,
                       /var/lib/stacksnap elsewhere; ~/stacksnap with --user)
      --keep N         keep the newest N; 0: all (144)
      --min-free MB    record nothing when the disk has less room (500)
      --stacksnap PATH the program (beside these scripts, or in the PATH)
      --user           for you alone: your own processes, while you are logged in
      --for SYSTEM     systemd or launchd (what runs here)
      --into FOLDER    only write the files, into this folder, and start nothing
  -h, --help           this text

Exit codes: 0 fine; 2 usage; 1 anything else.
TEXT
}

case ${1:-} in
install | remove)
	action=$1
	shift
	;;
-h | --help)
	usage
	exit 0
	;;
*) wrong_usage "install or remove?" ;;
esac

every=600 duration=10s dir='' keep=144 user='' system='' into=''
options="$capture_options every:1:--every duration:text:-d:--duration user:yes:--user
	system:text:--for into:text:--into"
read_options "$@"
shift "$after_options"
[ $# -eq 0 ] || wrong_usage "what is \"$1\"?"
process=$target
[ -n "$process" ] || wrong_usage "which process? give -p NAME"

if [ -z "$system" ]; then
	case $(uname -s) in Darwin) system=launchd ;; *) system=systemd ;; esac
fi
case $system in systemd | launchd) ;; *) wrong_usage "--for is systemd or launchd, not \"$system\"" ;; esac
if [ -z "$dir" ]; then
	case $user$system in
	yes*) dir=$HOME/stacksnap ;;
	launchd) dir=/var/db/stacksnap ;;
	*) dir=/var/lib/stacksnap ;;
	esac
fi
case $dir in /*) ;; *) dir=$(pwd)/$dir ;; esac

# plain refuses what would have to be quoted in a unit, or in XML.
plain() {
	case $2 in
	'' | -* | *[!A-Za-z0-9._+/:,-]*) wrong_usage "$1 has characters that a unit would have to quote: \"$2\"" ;;
	esac
}

name=stacksnap-capture-$process
label=org.stacksnap.capture.$process
plain "the name of the process" "$process"
case $process in */*) wrong_usage "give the process's name, not its path" ;; esac

# A system has files, made of the templates of the same place in the list, and a
# folder for them; start_SYSTEM and stop_SYSTEM tell it, and it is told after_SYSTEM
# when they are gone.
case $system in
systemd)
	templates="systemd/stacksnap-capture.service systemd/stacksnap-capture.timer"
	files="$name.service $name.timer"
	place=${user:+${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user}
	: "${place:=/etc/systemd/system}"
	;;
launchd)
	templates=launchd/org.stacksnap.capture.plist files=$label.plist
	place=${user:+$HOME/Library/LaunchAgents}
	: "${place:=/Library/LaunchDaemons}"
	;;
esac
place=${into:-$place}

# run shows a command of the system and runs it, unless files only are wanted.
run() {
	[ -z "$into" ] || return 0
	echo "\$ $*"
	"$@"
}

systemctl_() { run systemctl ${user:+--user} "$@"; }
start_systemd() { systemctl_ daemon-reload && systemctl_ enable --now "$name.timer"; }
stop_systemd() { systemctl_ disable --now "$name.timer"; }
after_systemd() { systemctl_ daemon-reload; }

# domain is where launchd has the job: the system, or a login.
domain() {
	if [ -n "$user" ]; then echo "gui/$(id -u)"; else echo system; fi
}

start_launchd() {
	stop_launchd 2>/dev/null # an older one
	wait_launchd && run launchctl bootstrap "$(domain)" "$place/$label.plist"
}
stop_launchd() { run launchctl bootout "$(domain)/$label"; }

# wait_launchd waits until a job is gone. bootout returns while a job that runs is
# ending (EINPROGRESS, 36), for which launchd leaves 20 s by itself, and until then
# bootstrap is refused (5, or 37: already in progress).
wait_launchd() {
	[ -z "$into" ] || return 0
	left=60
	while launchctl print "$(domain)/$label" >/dev/null 2>&1; do
		left=$((left - 1))
		if [ "$left" -le 0 ]; then
			note "the older job $label does not end: wait until it has, and install again"
			return 1
		fi
		sleep 1
	done
}
after_launchd() { :; }

# fill writes the template $1 with the values in place, whole or not at all.
fill() {
	fill_in <"$1" >"$2.new" && chmod 644 "$2.new" && mv -- "$2.new" "$2" && echo "wrote $2" && return
	rm -f -- "$2.new"
	note "$2 could not be written"
	return 1
}

fill_in() {
	sed -e "s|@PROCESS@|$process|g" -e "s|@EVERY@|$every|g" -e "s|@DURATION@|$duration|g" \
		-e "s|@DIR@|$dir|g" -e "s|@KEEP@|$keep|g" -e "s|@MIN_FREE@|$min_free|g" \
		-e "s|@SCRIPTS@|$here|g" -e "s|@STACKSNAP@|$stacksnap|g" \
		-e "${user:+/^# What another process/,/^MemoryMax=/d}"
}

# install writes the files and has the system start them. What it did not take it
# would find at its next start, so that is taken away again; but an older job is not
# ours to end because a new one failed.
install() {
	older=''
	for file in $files; do [ ! -e "$place/$file" ] || older=yes; done
	write_files && "start_$system" && return
	if [ -z "$older" ]; then
		note "taking away what was written"
		remove >/dev/null 2>&1
	fi
	return 1
}

write_files() {
	# shellcheck disable=SC2086 # both are lists
	set -- $files
	for template in $templates; do
		fill "$here/$template" "$place/$1" || return
		shift
	done
}

remove() {
	"stop_$system"
	for file in $files; do rm -f -- "$place/$file" || return; done
	"after_$system"
}

if [ "$action" = install ]; then
	stacksnap=$(find_stacksnap "$program") || exit 1
	case $stacksnap in /*) ;; *) stacksnap=$(cd "$(dirname "$stacksnap")" && pwd)/$(basename "$stacksnap") ;; esac
	plain --dir "$dir"
	plain --duration "$duration"
	plain "the path of these scripts" "$here"
	plain --stacksnap "$stacksnap"
	mkdir -p -- "$place" || exit 1
	[ -n "$into" ] || folder "$dir"
fi
"$action" || fail "$action did not succeed"
