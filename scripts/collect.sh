#!/bin/sh
# Capture several processes at once, into one archive. See --help.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib/capture.sh disable=SC1091
. "$here/lib/capture.sh"

usage() {
	cat <<'TEXT'
Usage: collect.sh [OPTION...] PID|NAME... [-- STACKSNAP OPTION...]

Captures processes, all at the same time, and puts everything into one archive:
for each process a recording (which "stacksnap FILE" opens), the report made of
it, and what stacksnap had to say; and manifest.txt with host, system, time,
versions and exit codes. A name stands for every process that has it.

  -o, --output FILE    the archive (stacksnap-HOST-20261121T091500Z.tar.gz)
  -d, --duration TIME  how long to sample each process (2s)
      --no-reports     recordings only
      --min-free MB    do nothing when the disk has less room (500)
      --stacksnap PATH the program (beside these scripts, or in the PATH)
  -h, --help           this text

Prints the archive's path. It shows what is on the stacks of these processes,
so that only you can read it. Exit codes: 0 all were captured; 1 some were not,
the manifest says which, or no archive could be written; 2 usage; 3 nothing was
captured, so there is no archive.
TEXT
}

archive='' duration=2s no_reports='' targets=''
options='targets:words archive:text:-o:--output duration:text:-d:--duration
	no_reports:yes:--no-reports min_free:0:--min-free program:text:--stacksnap'
read_options "$@"
shift "$after_options"
[ -n "$targets" ] || wrong_usage "which processes? give pids or names"

umask 077
stacksnap=$(find_stacksnap "$program") || exit 1
taken_at=$(date -u +%Y%m%dT%H%M%SZ)
: "${archive:=stacksnap-$(safe_name "$(uname -n)")-$taken_at.tar.gz}"
case $archive in */*) ;; *) archive=./$archive ;; esac
folder=${archive%/*}
[ -d "${folder:=/}" ] || fail "$folder is no folder"
has_room "$folder" "$min_free" || fail "less than $min_free MB are free for $folder"
case $stacksnap in /*) ;; */*) stacksnap=$(pwd)/$stacksnap ;; esac

# The captures are made beside the archive, where there is room, and moved into
# their place when all is done: the archive is whole or not there.
work=$(mktemp -d "$folder/.stacksnap-collect.XXXXXX") || exit 1
trap 'rm -rf -- "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
inside=stacksnap-$taken_at
mkdir "$work/$inside" || exit 1

# capture takes one process, $1 with the name $2, into the archive's folder, and
# leaves its manifest line.
capture() {
	base=$work/$inside/$(safe_name "$2")-$1 pid=$1 name=$2
	shift 2
	"$stacksnap" -p "$pid" -d "$duration" "$@" --save "$base.snap" >/dev/null 2>"$base.log"
	code=$?
	if [ -s "$base.snap" ]; then
		[ -n "$no_reports" ] || "$stacksnap" "$base.snap" -o "$base.txt" >/dev/null 2>>"$base.log" ||
			note "no report of $name [$pid]"
	elif [ "$code" -eq 0 ]; then
		code=1
	fi
	[ -s "$base.log" ] || rm -f -- "$base.log"
	printf '%-8s %-4s %s\n' "$pid" "$code" "$(safe_name "$name")" >"$work/line.$pid"
}

missing=''
captures=''
while IFS= read -r target; do
	[ -n "$target" ] || continue
	if is_pid "$target"; then pids=$target; else pids=$(pids_of "$target"); fi
	if [ -z "$pids" ] || { is_pid "$target" && ! is_alive "$target"; }; then
		note "no process is \"$target\""
		missing="$missing$(printf '%-8s %-4s %s' - 3 "$(safe_name "$target")")
"
		continue
	fi
	for pid in $pids; do
		case " $captures " in *" $pid "*) continue ;; esac
		captures="$captures $pid"
		capture "$pid" "$(name_of "$pid")" "$@" </dev/null &
	done
done <<LIST
$targets
LIST
wait

captured=$(find "$work/$inside" -name '*.snap' | wc -l)
if [ "$captured" -eq 0 ]; then
	cat "$work/$inside"/*.log 2>/dev/null >&2
	note "nothing was captured"
	exit 3
fi

{
	echo "stacksnap collection 1"
	echo "time:       $taken_at"
	echo "host:       $(uname -n)"
	echo "system:     $(uname -srm)"
	[ ! -r /etc/os-release ] || echo "release:    $(sed -n 's/^PRETTY_NAME=//p' /etc/os-release | tr -d '"')"
	! command -v sw_vers >/dev/null || echo "release:    macOS $(sw_vers -productVersion) ($(sw_vers -buildVersion))"
	echo "uptime:     $(uptime)"
	echo "user:       $(id -un)"
	echo "stacksnap:  $("$stacksnap" --version 2>/dev/null)"
	echo "options:    -d $duration $*"
	echo
	echo "pid      exit name"
	for pid in $captures; do cat "$work/line.$pid"; done
	printf %s "$missing"
} >"$work/$inside/manifest.txt" || exit 1

(cd "$work" && tar -cf - "$inside" | gzip -c >archive.tar.gz && [ -s archive.tar.gz ] && gzip -t archive.tar.gz) ||
	fail "$archive could not be written"
tar -tzf "$work/archive.tar.gz" >/dev/null || fail "$archive could not be written"
mv -- "$work/archive.tar.gz" "$archive" || fail "$archive could not be written"
echo "$archive"
failed=$(awk 'table && $2 != 0 { n++ } $1 == "pid" { table = 1 } END { print n + 0 }' "$work/$inside/manifest.txt")
[ "$failed" -eq 0 ] || fail "$failed of the processes were not captured in full: see manifest.txt in the archive"
