#!/bin/sh
# Install stacksnap, its manual, and what completes its calls. See --help.
set -u

usage() {
	cat <<'TEXT'
Usage: scripts/install.sh [--prefix DIR] [--binary FILE] [--remove]

Builds stacksnap from this source, which needs Go, or takes the program of the
release that this script came with, and installs it with its manual and what lets
bash, zsh and fish complete its calls. On macOS it is signed, so that
it may read your own processes without root; that needs Xcode's command line tools.

  --prefix DIR   where to: DIR/bin, DIR/share (default: $PREFIX, else /usr/local)
  --binary FILE  install this one instead, as it is
  --remove       remove what was installed there
  -h, --help     this text

DESTDIR is put before each path, for packages: what is there is for another place.

Exit codes: 0 fine; 2 usage; 1 anything else.
TEXT
}

fail() {
	echo "install.sh: $1" >&2
	exit 1
}

wrong() {
	echo "install.sh: $1 (see --help)" >&2
	exit 2
}

prefix=${PREFIX:-/usr/local}
binary=
action=install
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		usage
		exit 0
		;;
	--prefix | --binary)
		[ -n "${2-}" ] || wrong "$1 needs a path"
		if [ "$1" = --prefix ]; then prefix=$2; else binary=$2; fi
		shift
		;;
	--remove) action=remove ;;
	*) wrong "no such option: $1" ;;
	esac
	shift
done
case $prefix in /*) ;; *) prefix=$(pwd)/$prefix ;; esac
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
to=${DESTDIR-}$prefix

# pages lists what is installed beside the program: what --help TOPIC prints, and its place
# below the prefix.
pages() {
	cat <<'LIST'
man share/man/man1/stacksnap.1
man-top share/man/man1/stacksnap-top.1
man-formats share/man/man5/stacksnap-formats.5
bash share/bash-completion/completions/stacksnap
zsh share/zsh/site-functions/_stacksnap
fish share/fish/vendor_completions.d/stacksnap.fish
LIST
}

# remove removes what is there of the program and its pages, and names it.
remove() {
	found=
	for file in bin/stacksnap $(pages | cut -d ' ' -f 2); do
		[ -e "$to/$file" ] || [ -L "$to/$file" ] || continue
		rm -f -- "$to/$file" || fail "$to/$file cannot be removed: have you the right to, or does it need sudo?"
		found=yes
		echo "removed $to/$file"
	done
	[ -n "$found" ] || fail "nothing of stacksnap is installed in $to: does it have another --prefix?"
}

if [ "$action" = remove ]; then
	remove
	exit 0
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf -- "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

sign=
if [ -n "$binary" ]; then
	cp -- "$binary" "$work/stacksnap" || fail "$binary cannot be read"
elif [ ! -e "$root/go.mod" ] && [ -e "$root/stacksnap" ]; then
	cp -- "$root/stacksnap" "$work/stacksnap" || fail "$root/stacksnap cannot be read"
	sign=yes
else
	command -v go >/dev/null || fail "Go is missing: see https://go.dev/dl, or give --binary FILE"
	echo "building stacksnap from $root with $(go env GOVERSION). The first build takes about a minute of CPU time; Go may download modules"
	(cd "$root" && go build -trimpath -o "$work/stacksnap" .) || fail "it could not be built"
	sign=yes
fi
if [ -n "$sign" ] && [ "$(uname -s)" = Darwin ]; then
	echo "signing it, so that it may read your own processes"
	"$root/scripts/sign.sh" "$work/stacksnap" || fail "it could not be signed"
fi
chmod 755 "$work/stacksnap"

# remedy says what to do about a program that does not run. What a browser has loaded is
# quarantined on macOS, and ended when it is started.
remedy() {
	from=${binary:-$root/stacksnap}
	if [ "$(uname -s)" = Darwin ] && xattr -p com.apple.quarantine "$from" >/dev/null 2>&1; then
		echo "macOS has it in quarantine, as all that a browser loads; where you trust it: xattr -d com.apple.quarantine \"$from\""
	else
		echo "is it for this system and processor ($(uname -sm))?"
	fi
}

# title is how a page of a manual begins that belongs in a place: its name and section.
title() {
	page=${1##*/}
	printf '.TH %s %s ' "${page%.*}" "${page##*.}" | tr '[:lower:]' '[:upper:]'
}

# write has the program write what --help TOPIC prints, for a place.
write() {
	"$work/stacksnap" --help "$1" >"$work/$1" </dev/null || fail "the program does not run here: $(remedy)"
	case $2 in share/man/*) ;; *) return ;; esac
	case $(sed 's|\\||g; q' "$work/$1") in
	"$(title "$2")"*) ;;
	*) fail "what the program prints for --help $1 is no page of a manual" ;;
	esac
}

echo "writing its manual and completions for bash, zsh and fish"
pages | while read -r topic file; do
	write "$topic" "$file"
done || exit 1

# put FILE MODE PLACE installs a file under its own name only when it is whole.
put() {
	mkdir -p -- "$(dirname "$3")" && cp -- "$1" "$3.new" && chmod "$2" "$3.new" && mv -f -- "$3.new" "$3" && return
	rm -f -- "$3.new"
	fail "$3 cannot be written: have you the right to, or does it need sudo, or another --prefix?"
}

echo "installing to $to"
put "$work/stacksnap" 755 "$to/bin/stacksnap"
pages | while read -r topic file; do
	put "$work/$topic" 644 "$to/$file"
done || exit 1
echo "installed $to/bin/stacksnap, its manual and completions"

# A shell finds it in PATH; what is made for another place is not for this one's.
if [ -z "${DESTDIR-}" ]; then
	case :$PATH: in
	*:"$prefix/bin":*) ;;
	*)
		quoted=$(printf '%s\n' "$prefix/bin" | sed 's/[\\"$`]/\\&/g')
		echo "$prefix/bin is not in your PATH: type this line, and add it to ~/.profile for later shells:"
		echo "export PATH=\"$quoted:\$PATH\""
		;;
	esac
fi
