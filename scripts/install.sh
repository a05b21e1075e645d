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
  --remove       take away again what was installed
  -h, --help     this text

DESTDIR stands before each path, for packages: what is there is for another place.

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

# files lists what is installed, below the prefix.
files() {
	echo bin/stacksnap
	echo share/man/man1/stacksnap.1
	echo share/bash-completion/completions/stacksnap
	echo share/zsh/site-functions/_stacksnap
	echo share/fish/vendor_completions.d/stacksnap.fish
}

remove() {
	files | while read -r file; do
		rm -f -- "$to/$file" || exit 1
	done || fail "not all of it could be removed from $to: have you the right to, or does it need sudo?"
}

if [ "$action" = remove ]; then
	remove
	echo "removed from $to"
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
	(cd "$root" && go build -trimpath -o "$work/stacksnap" .) || fail "it could not be built"
	sign=yes
fi
if [ -n "$sign" ] && [ "$(uname -s)" = Darwin ]; then
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
for topic in man bash zsh fish; do
	"$work/stacksnap" --help "$topic" >"$work/$topic" || fail "the program does not run here: $(remedy)"
done

# put FILE MODE PLACE installs a file under its own name only when it is whole.
put() {
	mkdir -p -- "$(dirname "$3")" && cp -- "$1" "$3.new" && chmod "$2" "$3.new" && mv -f -- "$3.new" "$3" && return
	rm -f -- "$3.new"
	fail "$3 cannot be written: have you the right to, or does it need sudo, or another --prefix?"
}
put "$work/stacksnap" 755 "$to/bin/stacksnap"
put "$work/man" 644 "$to/share/man/man1/stacksnap.1"
put "$work/bash" 644 "$to/share/bash-completion/completions/stacksnap"
put "$work/zsh" 644 "$to/share/zsh/site-functions/_stacksnap"
put "$work/fish" 644 "$to/share/fish/vendor_completions.d/stacksnap.fish"
echo "installed in $to: bin/stacksnap, its manual, and completions for bash, zsh and fish"
