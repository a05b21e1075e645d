#!/bin/sh
# Take one recording of a process, for a timer to run. See --help.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib/capture.sh disable=SC1091
. "$here/lib/capture.sh"

usage() {
	cat <<'TEXT'
Usage: capture.sh -p PID|NAME [OPTION...] [-- STACKSNAP OPTION...]

Takes one recording of a process, as a file
DIR/stacksnap-NAME-PID-20261121T091500Z.snap, which "stacksnap FILE" opens. Made
for a timer: scripts/install-capture.sh sets one up, with systemd or launchd.

  -p, --pid PID|NAME   the process: its pid, name or program
  -d, --duration TIME  how long to sample it (10s)
      --dir DIR        where to put recordings (~/stacksnap)
      --keep N         keep the newest N recordings of this name; 0: all (20)
      --min-free MB    do nothing when the disk has less room (500)
      --stacksnap PATH the program (beside these scripts, or in the PATH)
  -h, --help           this text

Exit codes are stacksnap's: 0 fine; 2 usage, or several of that name; 3 no such
process; 4 not permitted; 5 it exited meanwhile, what was captured is kept;
1 anything else, such as a full disk.
TEXT
}

duration=10s
options="$capture_options duration:text:-d:--duration"
read_options "$@"
shift "$after_options"
[ -n "$target" ] || wrong_usage "which process? give -p PID or -p NAME"

stacksnap=$(find_stacksnap "$program") || exit 1
one_pid "$target"
found=$?
[ "$found" -ne 3 ] || note "no process is \"$target\""
[ "$found" -eq 0 ] || exit "$found"
folder "$dir"
record "$(name_of "$pid")" "$pid" -d "$duration" "$@"
