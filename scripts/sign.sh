#!/bin/sh
# Sign stacksnap so that it may read other processes without being root.
set -eu

usage() {
	cat <<'TEXT'
Usage: scripts/sign.sh [BINARY]

Signs BINARY (default: ./stacksnap) ad hoc, with the entitlement
com.apple.security.cs.debugger, which macOS wants of a program that reads other
processes without being root. Sign again after every build.

The processes read must be your own, and unhardened or signed with
com.apple.security.get-task-allow. Works on macOS only.
TEXT
}

fail() {
	echo "sign.sh: $1" >&2
	exit 1
}

case "${1:-}" in
-h | --help)
	usage
	exit 0
	;;
-*)
	usage >&2
	exit 2
	;;
esac
[ $# -le 1 ] || { usage >&2; exit 2; }

binary=${1:-./stacksnap}
entitlements=$(dirname "$0")/entitlements.plist

system=$(uname -s)
[ "$system" = Darwin ] || fail "signing needs macOS's codesign, and this is $system: copy the binary to a Mac and sign it there"
command -v codesign >/dev/null || fail "codesign is missing: install it with xcode-select --install"
[ -f "$binary" ] || fail "$binary does not exist: build it first, or name another file"

set -- codesign --force --options runtime --sign - --entitlements "$entitlements" "$binary"
echo "$*"
"$@"
