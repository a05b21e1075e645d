#!/bin/sh
# Makes the fixtures again. ZIG names zig; CI does not run this.
set -eu
cd "$(dirname "$0")"
zig=${ZIG:-zig}
for arch in x86_64 aarch64; do
	$zig cc -target $arch-macos -O1 -g0 -DMAIN -o main.$arch fixture.c
	$zig cc -target $arch-macos -O1 -g0 -dynamiclib -install_name @rpath/libfixture.dylib -o lib.$arch fixture.c
done
rm -f ./*.tbd ./*.lib
