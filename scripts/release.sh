#!/bin/sh
# Make what is handed out of a version: an archive for each system. See --help.
set -eu

usage() {
	cat <<'TEXT'
Usage: scripts/release.sh [-o FOLDER] [--unchecked] [TARGET...]

Makes stacksnap-VERSION-TARGET.tar.gz for each TARGET (linux-amd64, linux-arm64,
darwin-amd64, darwin-arm64: all of them unless told), each with a list of what the
program is made of beside it (.cdx.json, CycloneDX), and SHA256SUMS. An archive has
the program, README.md, LICENSE, and install.sh, which puts the program, its manual
and its completions where they belong.

Times in an archive are that of the commit (1980 where the source has no history), so
that the same commit and the same Go give the same files. For darwin it takes zig (scripts/build-darwin.sh);
what is built so is not signed: install.sh does that, on the Mac.

First it runs the tests that attack stacksnap (scripts/hostile.sh), as root on Linux,
and those that compare times, which hold on a quiet machine only; it makes nothing if
one fails.

  -o FOLDER    where to (build/release)
  --unchecked  without those tests
  -h, --help   this text

Exit codes: 0 fine; 2 usage; 1 anything else.
TEXT
}

fail() {
	echo "release.sh: $1" >&2
	exit 1
}

root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/build/release
targets=
checked=yes
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		usage
		exit 0
		;;
	-o)
		[ -n "${2-}" ] || { echo "release.sh: -o needs a folder (see --help)" >&2; exit 2; }
		case $2 in /*) out=$2 ;; *) out=$(pwd)/$2 ;; esac
		shift
		;;
	--unchecked) checked= ;;
	linux-amd64 | linux-arm64 | darwin-amd64 | darwin-arm64) targets="$targets $1" ;;
	*)
		echo "release.sh: no such target or option: $1 (see --help)" >&2
		exit 2
		;;
	esac
	shift
done
targets=${targets:-linux-amd64 linux-arm64 darwin-amd64 darwin-arm64}
tar --version 2>/dev/null | grep -q GNU || fail "GNU tar is missing, which makes the same archive twice"
cd "$root"
version=$(sed -n 's/^var version = "\(.*\)"$/\1/p' main.go)
[ -n "$version" ] || fail "main.go names no version"
time=$(git log -1 --format=%ct 2>/dev/null) || time=315532800
if [ -n "$checked" ]; then
	STACKSNAP_RUNS=20 scripts/hostile.sh -t 40m || fail "the tests that attack stacksnap did not pass (--unchecked leaves them out)"
	STACKSNAP_TIMING=1 go test -count=1 -timeout 10m -run 'LiveHangs|PeriodicLoad|NotFavoured' ./format/profile/hang ./scripts/e2e ||
		fail "the tests that compare times did not pass (--unchecked leaves them out)"
fi
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# build TARGET FILE
build() {
	case $1 in
	linux-*) CGO_ENABLED=0 GOOS=linux GOARCH=${1#linux-} go build -trimpath -ldflags="-s -w" -o "$2" . ;;
	darwin-*)
		OUT=$work/darwin scripts/build-darwin.sh build "${1#darwin-}"
		mv "$work/darwin/stacksnap-$1" "$2"
		;;
	esac
}

for target in $targets; do
	name=stacksnap-$version-$target
	mkdir -p "$work/$name/scripts"
	build "$target" "$work/$name/stacksnap"
	cp README.md LICENSE "$work/$name"
	cp scripts/install.sh scripts/sign.sh scripts/entitlements.plist "$work/$name/scripts"
	go run ./scripts/sbom "$work/$name/stacksnap" >"$out/$name.cdx.json"
	tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w --mtime="@$time" -C "$work" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
done
cd "$out"
sha256sum stacksnap-"$version"-*.tar.gz stacksnap-"$version"-*.cdx.json >SHA256SUMS
ls -l "$out"
