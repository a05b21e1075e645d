#!/bin/sh
# Makes the fixtures again, with clang and ld64.lld of LLVM; CI does not run this. The
# linker is told where NSString is by the stub beside this.
set -eu
cd "$(dirname "$0")"
version=${LLVM:--22}
object=$(mktemp)
trap 'rm -f "$object"' EXIT
link() { # KIND OPTION...
	kind=$1
	shift
	"ld64.lld$version" -arch "$arch" -platform_version macos 13.0 13.0 -dylib \
		-install_name @rpath/libobjcfixture.dylib "$@" -o "$kind.$arch.dylib" "$object" objc.tbd
}
for arch in x86_64 arm64; do
	"clang$version" -target "$arch-apple-macos13.0" -fobjc-runtime=macosx-13.0 -O1 -c -o "$object" fixture.m
	link chained -fixup_chains -objc_relative_method_lists
	link classic -no_fixup_chains -no_objc_relative_method_lists
done
