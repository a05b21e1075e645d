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

# A program with a debug map, the object file and the archive that it names.
debug='-target x86_64-macos -O1 -g -gdwarf-4 -ffile-compilation-dir=/src -fno-sanitize=all'
$zig cc $debug -c mapped.c -o mapped.o
$zig cc $debug -DFUNCTION=far -DLINE=1 -c objects.c -o a-member-with-a-long-name.o
$zig cc $debug -DFUNCTION=further -DLINE=2 -c objects.c -o b.o
rm -f objects.a
llvm-ar --format=darwin rcsU objects.a a-member-with-a-long-name.o b.o
$zig cc -target x86_64-macos mapped.o objects.a -o mapped
rm a-member-with-a-long-name.o b.o
