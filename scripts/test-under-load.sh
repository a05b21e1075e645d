#!/usr/bin/env bash
# Run the tests again and again while other processes want the processors.
set -euo pipefail

usage() {
	cat <<'TEXT'
Usage: scripts/test-under-load.sh [-n RUNS] [-k BUSY] [PACKAGE|FLAG]...

Runs "go test -count=1" of the packages (default ./...) RUNS times (default 10)
in a row while BUSY processes (default 3) compute for nothing, and says how each
run went. Ends with the first run that fails: its output is printed. Flags after
the first package go to go test, such as "./scripts/e2e -run Shares".
TEXT
}

runs=10 busy=3
while getopts n:k:h flag; do
	case $flag in
	n) runs=$OPTARG ;;
	k) busy=$OPTARG ;;
	h) usage; exit ;;
	*) usage >&2 && exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[[ $runs =~ ^[1-9][0-9]*$ && $busy =~ ^[0-9]+$ ]] || { usage >&2 && exit 2; }
[[ $# -gt 0 ]] || set -- ./...

cd "$(dirname "$0")/.."
log=$(mktemp)
hogs=()
finish() {
	rm -f "$log"
	[[ ${#hogs[@]} -eq 0 ]] || kill "${hogs[@]}" 2>/dev/null || true
}
trap finish EXIT
for ((i = 0; i < busy; i++)); do
	while :; do :; done &
	hogs+=($!)
done

for ((run = 1; run <= runs; run++)); do
	began=$SECONDS
	if ! go test -count=1 -timeout 60m "$@" >"$log" 2>&1; then
		cat "$log"
		echo "run $run of $runs failed after $((SECONDS - began)) s, beside $busy busy processes"
		exit 1
	fi
	echo "run $run of $runs passed in $((SECONDS - began)) s, beside $busy busy processes"
done
