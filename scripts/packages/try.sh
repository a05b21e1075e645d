#!/bin/sh
# Install the packages of a release into empty roots, try what is in them, remove them.
# See --help.
set -eu

usage() {
	cat <<'TEXT'
Usage: scripts/packages/try.sh [FOLDER]

Installs the .deb of FOLDER (build/release) for this machine's architecture with dpkg
into a root that has nothing else, runs the program there (its version, and the stack
of a process), looks for the pages of the manual and the completions, and removes it
again, which must leave nothing. So with the .rpm, where rpm is installed, after a
look at its checksums and contents. Of the other architecture it looks at what is in
the packages. The formula: whether ruby can read it, where ruby is installed.

It must be run as root, on Linux.
TEXT
}

fail() {
	echo "try.sh: $1" >&2
	exit 1
}

case ${1-} in
-h | --help)
	usage
	exit 0
	;;
esac
root=$(cd "$(dirname "$0")/../.." && pwd)
from=$(cd "${1:-$root/build/release}" && pwd)
[ "$(id -u)" = 0 ] || fail "it takes root, to install and to change the root"
command -v dpkg >/dev/null || fail "dpkg is missing"
work=$(mktemp -d)
sleeper=
trap '[ -z "$sleeper" ] || kill "$sleeper"; rm -rf -- "$work"' EXIT

# common lists what every package has; the places of some differ.
common() {
	cat <<'TEXT'
/usr/bin/stacksnap
/usr/share/man/man1/stacksnap.1.gz
/usr/share/bash-completion/completions/stacksnap
/usr/share/fish/vendor_completions.d/stacksnap.fish
/usr/lib/systemd/system/stacksnap-push@.service
/usr/share/stacksnap/capture.sh
/usr/share/stacksnap/lib/capture.sh
/usr/share/stacksnap/systemd/stacksnap-capture.timer
TEXT
}

# has LIST NAME... fails when one of the names that all have, or of those given, is not
# in the list.
has() {
	list=$1
	shift
	for name in $(common) "$@"; do
		grep -qxF "$name" "$list" || fail "$list: $name is missing"
	done
}

# program ROOT tries what is installed there.
program() {
	echo "$(chroot "$1" /usr/bin/stacksnap --version), in $1"
	gzip -dc "$1/usr/share/man/man1/stacksnap.1.gz" | grep -q '^\.TH STACKSNAP 1 ' || fail "stacksnap(1) is no page"
	sleep 600 &
	sleeper=$!
	mkdir -p "$1/proc"
	# shellcheck disable=SC2016 # the inner shell's
	unshare --mount sh -c 'mount -t proc proc "$1/proc" && exec chroot "$1" /usr/bin/stacksnap -p "$2"' sh "$1" "$sleeper" >"$work/report"
	kill "$sleeper"
	sleeper=
	rmdir "$1/proc"
	grep -q sleep "$work/report" || fail "no report on sleep: $(cat "$work/report")"
	head -n 3 "$work/report"
}

# empty ROOT FOLDER fails when a root has any file, or a folder of this program, beside
# the folder in which the installer keeps its books. (Those such as /usr are another
# package's, with rpm.)
empty() {
	left=$(find "$1" -not -path "$1/$2/*" \( -not -type d -o -name '*stacksnap*' \))
	[ -z "$left" ] || fail "left after removing it: $left"
}

# deb FILE installs and removes it.
deb() {
	mkdir -p "$work/deb/var/lib/dpkg/info" "$work/deb/var/lib/dpkg/updates" "$work/deb/var/lib/dpkg/triggers"
	: >"$work/deb/var/lib/dpkg/status"
	dpkg --root="$work/deb" --log=/dev/null --install "$1"
	dpkg-query --admindir="$work/deb/var/lib/dpkg" -W stacksnap
	program "$work/deb"
	dpkg --root="$work/deb" --log=/dev/null --purge stacksnap
	empty "$work/deb" var/lib/dpkg
}

# rpm_ FILE installs and removes it.
rpm_() {
	mkdir -p "$work/rpm"
	rpm --root "$work/rpm" --dbpath /var/lib/rpm --initdb
	rpm --root "$work/rpm" --dbpath /var/lib/rpm --nodeps --nosignature --install "$1"
	rpm --root "$work/rpm" --dbpath /var/lib/rpm -q stacksnap
	program "$work/rpm"
	rpm --root "$work/rpm" --dbpath /var/lib/rpm --erase stacksnap
	empty "$work/rpm" var/lib/rpm
}

machine=$(dpkg --print-architecture)
for arch in amd64 arm64; do
	case $arch in amd64) cpu=x86_64 ;; *) cpu=aarch64 ;; esac
	deb=$(echo "$from"/stacksnap_*_"$arch".deb) rpm=$(echo "$from"/stacksnap-*."$cpu".rpm)
	[ "$(dpkg-deb -f "$deb" Architecture)" = "$arch" ] || fail "$deb is for another architecture"
	dpkg-deb --fsys-tarfile "$deb" | tar -tf - | sed 's/^\.//' >"$work/deb.list"
	has "$work/deb.list" /usr/share/zsh/vendor-completions/_stacksnap /usr/share/doc/stacksnap/copyright
	[ "$arch" != "$machine" ] || deb "$deb"

	if ! command -v rpm >/dev/null; then
		echo "skipped: rpm is not installed"
		continue
	fi
	rpm --checksig --nosignature "$rpm"
	[ "$(rpm -qp --nosignature --queryformat '%{ARCH}' "$rpm")" = "$cpu" ] || fail "$rpm is for another architecture"
	rpm -qpl --nosignature "$rpm" >"$work/rpm.list"
	has "$work/rpm.list" /usr/share/zsh/site-functions/_stacksnap /usr/share/licenses/stacksnap/LICENSE
	rpm2cpio "$rpm" | cpio --quiet -t | sed 's/^\.//' >"$work/cpio.list" || fail "$rpm cannot be unpacked"
	has "$work/cpio.list"
	[ "$arch" != "$machine" ] || rpm_ "$rpm"
done

if command -v ruby >/dev/null; then
	ruby -c "$from/stacksnap.rb"
else
	echo "skipped: ruby is not installed"
fi
