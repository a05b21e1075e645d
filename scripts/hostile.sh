#!/bin/sh
# Attack stacksnap as people around a production machine could. See --help.
set -eu

usage() {
	cat <<'TEXT'
Usage: scripts/hostile.sh [-t TIME] [NAME]

Runs the tests of scripts/hostile (its doc.go says what they are), as root on Linux.
No target may be left stopped, no run may hang, take over 200 MB, or write where
nobody asked it to. A test that skips for want of what .ci/skips/full.txt does not
name counts as failed.

  NAME         only tests whose name matches this regular expression
  -t TIME      time limit for all (20m)
  -h, --help   this text

STACKSNAP_RUNS is how often each of twenty short commands is run on a machine that is
kept busy, half of the times with --children (4): nothing untrue may be said of one.
STACKSNAP_SIGNALS is how many signals of each kind stacksnap is sent in each mode (10).

Exit codes: 0 all passed; 1 a test failed; 2 usage; 3 not root on Linux.
TEXT
}

limit=20m
name=.
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		usage
		exit 0
		;;
	-t)
		[ -n "${2-}" ] || { echo "hostile.sh: -t needs a time (see --help)" >&2; exit 2; }
		limit=$2
		shift
		;;
	-*)
		echo "hostile.sh: no such option: $1 (see --help)" >&2
		exit 2
		;;
	*) name=$1 ;;
	esac
	shift
done
if [ "$(uname -s)" != Linux ] || [ "$(id -u)" != 0 ]; then
	echo "hostile.sh: these tests need root on Linux (mounts, other users, 30,000 threads)" >&2
	exit 3
fi
cd "$(dirname "$0")/.."
# What runs beside others there waits for servers: some at once cost little.
go test -count=1 -json -timeout "$limit" -parallel 8 -tags hostile -run "$name" ./scripts/hostile |
	go run ./scripts/skips .ci/skips/full.txt
