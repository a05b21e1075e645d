#!/bin/sh
# Make what is handed out of a version: an archive for each system. See --help.
set -eu

usage() {
	cat <<'TEXT'
Usage: scripts/release.sh [-o FOLDER] [--url URL] [--archives] [--unchecked] [TARGET...]

Makes stacksnap-VERSION-TARGET.tar.gz for each TARGET (linux-amd64, linux-arm64,
darwin-amd64, darwin-arm64: all of them by default), each with a list of what the
program is made of beside it (.cdx.json, CycloneDX), and SHA256SUMS. An archive has
the program, README.md, LICENSE, and install.sh, which puts the program, its manual
and its completions where they belong.

For each linux target it makes a .deb and an .rpm as well (scripts/packages), with
the manual, the completions, a systemd unit, and in /usr/share/stacksnap the scripts
that capture at regular times. Of the commit it makes stacksnap-VERSION.tar.gz, the
source, and stacksnap.rb, a Homebrew formula that builds and signs it.

Times in what is made are SOURCE_DATE_EPOCH, or else that of the commit (1980 where
the source has no history; there is no archive of it then, nor a formula), so that the
same commit and the same Go give the same files. For darwin it takes zig
(scripts/build-darwin.sh); what is built so is not signed: install.sh does that, on
the Mac. A program of more than 13 MB is not handed out.

First it runs the tests that attack stacksnap (scripts/hostile.sh), as root on Linux,
and those that compare times, which hold on a quiet machine only; it makes nothing if
one fails.

  -o FOLDER    where to (build/release)
  --url URL    where the source will be loaded from: URL/stacksnap-VERSION.tar.gz (the
               folder that the formula is in)
  --archives   no .deb, no .rpm, no source and no formula
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
url=
targets=
checked=yes
packages=yes
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
	--url)
		[ -n "${2-}" ] || { echo "release.sh: --url needs an address (see --help)" >&2; exit 2; }
		url=$2
		shift
		;;
	--archives) packages= ;;
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
commit=$(git rev-parse -q --verify HEAD 2>/dev/null) || commit=
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null)} || time=315532800
if [ -n "$checked" ]; then
	STACKSNAP_RUNS=20 STACKSNAP_SIGNALS=200 scripts/hostile.sh -t 120m || fail "the tests that attack stacksnap did not pass (--unchecked leaves them out)"
	STACKSNAP_TIMING=1 go test -count=1 -timeout 10m -run 'LiveHangs|PeriodicLoad|NotFavoured' ./format/profile/hang ./scripts/e2e ||
		fail "the tests that compare times did not pass (--unchecked leaves them out)"
fi
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# build TARGET FILE
build() {
	case $1 in
	# Functions at multiples of 16 bytes instead of 32 take 100 kB less.
	linux-*) CGO_ENABLED=0 GOOS=linux GOARCH=${1#linux-} go build -trimpath -ldflags="-s -w -funcalign=16" -o "$2" . ;;
	darwin-*)
		OUT=$work/darwin scripts/build-darwin.sh build "${1#darwin-}"
		mv "$work/darwin/stacksnap-$1" "$2"
		;;
	esac
}

# light refuses a program of more than 13 MB.
light() {
	size=$(wc -c <"$1")
	[ "$size" -le 13000000 ] || fail "the program for $2 has $size bytes, which is more than 13 MB: what has been added (go tool nm -size -sort size)?"
	echo "$2: $((size / 1000)) kB"
}

# lay lays out in $work/tree what packages have, but for the program: what install.sh
# installs, by a program that runs here, and what records at regular times.
lay() {
	[ ! -e "$work/tree" ] || return 0
	CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o "$work/native" .
	DESTDIR=$work/tree scripts/install.sh --prefix /usr --binary "$work/native" >/dev/null
	gzip -9n "$work/tree"/usr/share/man/man*/*
	own=$work/tree/usr/share/stacksnap
	mkdir -p "$own" "$work/tree/usr/share/licenses/stacksnap" "$work/tree/usr/lib/systemd/system"
	cp LICENSE "$work/tree/usr/share/licenses/stacksnap"
	sed 's|/usr/local/bin/|/usr/bin/|' scripts/systemd/stacksnap-push@.service >"$work/tree/usr/lib/systemd/system/stacksnap-push@.service"
	cp scripts/capture.sh scripts/capture-on-cpu.sh scripts/capture-on-hang.sh scripts/collect.sh scripts/install-capture.sh "$own"
	mkdir "$own/lib" "$own/systemd"
	cp scripts/lib/*.sh "$own/lib"
	cp scripts/systemd/stacksnap-capture.service scripts/systemd/stacksnap-capture.timer "$own/systemd"
}

# pack ARCH PROGRAM makes the .deb and the .rpm.
pack() {
	lay
	cp "$2" "$work/tree/usr/bin/stacksnap"
	[ -e "$work/packages" ] || (cd scripts/packages && go build -o "$work/packages" .)
	"$work/packages" -version "$version" -arch "$1" -time "$time" -o "$out" "$work/tree" >>"$work/made"
}

# formula SUM prints the Homebrew formula of the source that has that SHA-256.
formula() {
	from="file://#{File.expand_path(__dir__)}"
	cat <<RUBY
# Made by scripts/release.sh.
class Stacksnap < Formula
  desc "Prints where every thread of a process is"
  url "${url:-$from}/stacksnap-$version.tar.gz"
  sha256 "$1"
  license "MIT"

  depends_on "go" => :build

  # On macOS install.sh signs the program, so that it may read your own processes.
  def install
    system "scripts/install.sh", "--prefix", prefix
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/stacksnap --version")
    assert_path_exists man1/"stacksnap.1"
  end
end
RUBY
}

: >"$work/made"
for target in $targets; do
	name=stacksnap-$version-$target
	mkdir -p "$work/$name/scripts"
	build "$target" "$work/$name/stacksnap"
	light "$work/$name/stacksnap" "$target"
	cp README.md LICENSE "$work/$name"
	cp scripts/install.sh scripts/sign.sh scripts/entitlements.plist "$work/$name/scripts"
	go run ./scripts/sbom "$work/$name/stacksnap" >"$out/$name.cdx.json"
	tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w --mtime="@$time" -C "$work" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
	case $packages$target in
	yeslinux-*) pack "${target#linux-}" "$work/$name/stacksnap" ;;
	esac
	printf '%s\n' "$name.tar.gz" "$name.cdx.json" >>"$work/made"
done
if [ -n "$packages" ] && [ -n "$commit" ]; then
	source=stacksnap-$version.tar.gz
	git archive --format=tar --prefix="stacksnap-$version/" "$commit" | gzip -9n >"$out/$source"
	formula "$(sha256sum <"$out/$source" | cut -d ' ' -f 1)" >"$out/stacksnap.rb"
	printf '%s\n' "$source" stacksnap.rb >>"$work/made"
fi
cd "$out"
sed 's|.*/||' "$work/made" | LC_ALL=C sort | xargs sha256sum >SHA256SUMS
ls -l "$out"
