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

process='' every=600 duration=10s dir='' keep=144 min_free=500 program='' user='' system='' into=''
while [ $# -gt 0 ]; do
	case $1 in
	--?*=*)
		option=${1%%=*} value=${1#*=}
		shift
		set -- "$option" "$value" "$@"
		;;
	esac
	case $1 in
	-h | --help)
		usage
		exit 0
		;;
	--user)
		user=yes
		shift
		continue
		;;
	-p | --pid) value_of "$@" && process=$2 ;;
	--every) value_of "$@" && count_of "$1" "$2" 1 && every=$2 ;;
	-d | --duration) value_of "$@" && duration=$2 ;;
	--dir) value_of "$@" && dir=$2 ;;
	--keep) value_of "$@" && count_of "$1" "$2" 0 && keep=$2 ;;
	--min-free) value_of "$@" && count_of "$1" "$2" 0 && min_free=$2 ;;
	--stacksnap) value_of "$@" && program=$2 ;;
	--for) value_of "$@" && system=$2 ;;
	--into) value_of "$@" && into=$2 ;;
	*) wrong_usage "what is \"$1\"?" ;;
	esac
	shift 2
done
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

if [ -n "$into" ]; then
	place=$into
elif [ "$system" = systemd ]; then
	place=${user:+${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user}
	place=${place:-/etc/systemd/system}
else
	place=${user:+$HOME/Library/LaunchAgents}
	place=${place:-/Library/LaunchDaemons}
fi

# fill writes the template $1 with the values in place, whole or not at all.
fill() {
	fill_in <"$1" >"$2.new" && chmod 644 "$2.new" && mv -- "$2.new" "$2" && echo "wrote $2" && return
	rm -f -- "$2.new"
	fail "$2 could not be written"
}

fill_in() {
	sed -e "s|@PROCESS@|$process|g" -e "s|@EVERY@|$every|g" -e "s|@DURATION@|$duration|g" \
		-e "s|@DIR@|$dir|g" -e "s|@KEEP@|$keep|g" -e "s|@MIN_FREE@|$min_free|g" \
		-e "s|@SCRIPTS@|$here|g" -e "s|@STACKSNAP@|$stacksnap|g" \
		-e "${user:+/^# What another process/,/^MemoryMax=/d}"
}

# run shows a command of the system and runs it, unless files only are wanted.
run() {
	[ -z "$into" ] || return 0
	echo "\$ $*"
	"$@"
}

systemctl_() { run systemctl ${user:+--user} "$@"; }

name=stacksnap-capture-$process
label=org.stacksnap.capture.$process
plain "the name of the process" "$process"
case $process in */*) wrong_usage "give the process's name, not its path" ;; esac

install_systemd() {
	(fill "$here/systemd/stacksnap-capture.service" "$place/$name.service") &&
		(fill "$here/systemd/stacksnap-capture.timer" "$place/$name.timer") &&
		systemctl_ daemon-reload && systemctl_ enable --now "$name.timer"
}

remove_systemd() {
	systemctl_ disable --now "$name.timer"
	rm -f -- "$place/$name.service" "$place/$name.timer" && systemctl_ daemon-reload
}

# domain is where launchd has the job: the system, or a login.
domain() {
	if [ -n "$user" ]; then echo "gui/$(id -u)"; else echo system; fi
}

install_launchd() {
	(fill "$here/launchd/org.stacksnap.capture.plist" "$place/$label.plist") || return
	run launchctl bootout "$(domain)/$label" 2>/dev/null # an older one
	run launchctl bootstrap "$(domain)" "$place/$label.plist"
}

remove_launchd() {
	run launchctl bootout "$(domain)/$label"
	rm -f -- "$place/$label.plist"
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
	older=''
	for file in "$place/$name.service" "$place/$name.timer" "$place/$label.plist"; do
		[ ! -e "$file" ] || older=yes
	done
fi
"${action}_$system" && exit
# What the system did not take it would find at its next start. An older job is
# not ours to end because a new one failed.
if [ "$action" = install ] && [ -z "$older" ]; then
	note "taking away what was written"
	"remove_$system" >/dev/null 2>&1
fi
fail "$action did not succeed"
