#!/bin/sh
# Check before a push what can be checked in about two minutes. See --help.
# shellcheck disable=SC2317,SC2329 # functions that check calls by their names
set -u

usage() {
	cat <<'TEXT'
Usage: scripts/check.sh [CHECK...]

Checks this source before a push, in about two minutes on two idle processors once Go's
caches are filled, and in three or four if what all packages import has changed.
Prints a line for each check: "ok"; "FAILED", with what was said below it; or "not
checked", with what is missing. One that fails does not keep it from the others. Checks,
all of them unless some are named:

  gofmt        the form of all Go files
  vet          go vet for linux/amd64, linux/arm64 and darwin/arm64, without cgo
  staticcheck  staticcheck for linux/amd64 and darwin/arm64, without cgo
  cgo          go vet and staticcheck of task/mach as a Mac builds it; needs zig
  tests        go test -short of all packages whose tests are quick
  shellcheck   all scripts
  documents    links, pictures and paths in README.md and ARCHITECTURE.md
  size         the program for linux-amd64 has at most 13 MB

.ci/run checks these and everything else, in 40 to 60 minutes.

Exit codes: 0 fine, also where something was not checked; 1 a check failed; 2 usage.
TEXT
}

# Packages, from the root, whose tests take long: they start processes and compilers, or
# walk at every instruction.
slow='scripts(/.*)?|images/elf|unwind|task/mach|task/ptrace|task/live|format/profile/capture|format/profile/hang'

only=
for name in "$@"; do
	case $name in
	-h | --help)
		usage
		exit 0
		;;
	gofmt | vet | staticcheck | cgo | tests | shellcheck | documents | size) only="$only $name" ;;
	*)
		echo "check.sh: no such check: $name (see --help)" >&2
		exit 2
		;;
	esac
done

cd "$(dirname "$0")/.." || exit 1
log=$(mktemp) || exit 1
program=$log.program
trap 'rm -f "$log" "$program"' EXIT
trap 'exit 1' INT TERM
failed=0

# wanted NAME says whether a check is to run.
wanted() {
	case "${only:- $1} " in *" $1 "*) ;; *) return 1 ;; esac
}

# check TITLE COMMAND... prints how a command ended, and what it said if it failed.
check() {
	title=$1
	shift
	if "$@" >"$log" 2>&1 </dev/null; then
		echo "ok           $title"
		return
	fi
	failed=1
	echo "FAILED       $title"
	sed -e '/^ok  	/d' -e '/\[no test files\]$/d' -e 's/^/    /' "$log"
}

# missing TITLE TOOL says that a check needs a tool which is not here.
missing() { echo "not checked  $1: $2 is not installed"; }

unformatted() {
	list=$(gofmt -l .) && [ -z "$list" ] && return
	echo "$list"
	return 1
}

# build_for SYSTEM/ARCH COMMAND... runs a command for another system, without cgo.
build_for() {
	system=$1
	shift
	GOOS=${system%/*} GOARCH=${system#*/} CGO_ENABLED=0 "$@"
}

quick_tests() {
	# shellcheck disable=SC2046 # one argument for each package
	go test -short $(go list ./... | grep -v -E "^[^/]+/($slow)\$")
}

shell_scripts() {
	find scripts .ci -type f \( -name '*.sh' -o -path '.ci/run' \) -exec shellcheck {} +
}

# program_size builds the program as release.sh does.
program_size() {
	build_for linux/amd64 go build -trimpath -ldflags="-s -w -funcalign=16" -o "$program" . || return
	size=$(wc -c <"$program")
	[ "$size" -le 13000000 ] || { echo "$size bytes: go tool nm -size -sort size shows what takes them"; return 1; }
}

staticcheck=$(command -v staticcheck) || staticcheck=$(go env GOPATH)/bin/staticcheck
zig=${ZIG:-$(command -v zig || echo build/_zig/node_modules/.bin/zig)}

if wanted gofmt; then
	check gofmt unformatted
fi
if wanted vet; then
	for system in linux/amd64 linux/arm64 darwin/arm64; do
		check "vet $system" build_for "$system" go vet ./...
	done
fi
if wanted staticcheck; then
	for system in linux/amd64 darwin/arm64; do
		if [ -x "$staticcheck" ]; then
			check "staticcheck $system" build_for "$system" "$staticcheck" ./...
		else
			missing "staticcheck $system" staticcheck
		fi
	done
fi
if wanted cgo; then
	if command -v "$zig" >/dev/null; then
		check "cgo for darwin" scripts/build-darwin.sh check ./task/mach
	else
		missing "cgo for darwin" zig
	fi
fi
if wanted tests; then
	check "quick tests" quick_tests
fi
if wanted shellcheck; then
	if command -v shellcheck >/dev/null; then
		check shellcheck shell_scripts
	else
		missing shellcheck shellcheck
	fi
fi
if wanted documents; then
	check documents go test -count=1 ./scripts/docs
fi
if wanted size; then
	check size program_size
fi
exit "$failed"
