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

# files lists what is installed, below the prefix. The manual has as many pages as the
# program made that was installed.
files() {
	echo bin/stacksnap
	(cd "$to" 2>/dev/null && ls share/man/man[1-8]/stacksnap.[1-8] share/man/man[1-8]/stacksnap-*.[1-8]) 2>/dev/null
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
	echo "building stacksnap from $root with $(go env GOVERSION): the first time takes a minute or more, in which Go fetches and compiles modules"
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

# made TOPIC has the program write what --help TOPIC prints.
made() {
	"$work/stacksnap" --help "$1" >"$work/$1" || fail "the program does not run here: $(remedy)"
}

# place TOPIC prints where a page belongs below share/man, as its title says.
place() {
	sed -n -e '1s/\\//g' -e '1s|^\.TH \([^ ]*\) \([1-8]\) .*|man\2/\1.\2|p' "$work/$1" | tr '[:upper:]' '[:lower:]'
}

for topic in man bash zsh fish; do
	made "$topic"
done
# The first page of the manual names the program's others in SEE ALSO.
others=$(sed -n 's/^\.BR stacksnap\\-\([a-z-]*\) .*/man-\1/p' "$work/man")
for topic in $others; do
	made "$topic"
done
for topic in man $others; do
	[ -n "$(place "$topic")" ] || fail "what the program prints for --help $topic is no page of a manual"
done

# put FILE MODE PLACE installs a file under its own name only when it is whole.
put() {
	mkdir -p -- "$(dirname "$3")" && cp -- "$1" "$3.new" && chmod "$2" "$3.new" && mv -f -- "$3.new" "$3" && return
	rm -f -- "$3.new"
	fail "$3 cannot be written: have you the right to, or does it need sudo, or another --prefix?"
}
put "$work/stacksnap" 755 "$to/bin/stacksnap"
for topic in man $others; do
	put "$work/$topic" 644 "$to/share/man/$(place "$topic")"
done
put "$work/bash" 644 "$to/share/bash-completion/completions/stacksnap"
put "$work/zsh" 644 "$to/share/zsh/site-functions/_stacksnap"
put "$work/fish" 644 "$to/share/fish/vendor_completions.d/stacksnap.fish"
echo "installed in $to: bin/stacksnap, its manual, and completions for bash, zsh and fish"

# A shell finds it in PATH; what is made for another place is not for this one's.
if [ -z "${DESTDIR-}" ]; then
	case :$PATH: in
	*:"$prefix/bin":*) ;;
	*)
		quoted=$(printf '%s\n' "$prefix/bin" | sed 's/[\\"$`]/\\&/g')
		echo "$prefix/bin is not in PATH, so that your shell does not find it there. For this shell, and in ~/.profile for all:"
		echo "export PATH=\"$quoted:\$PATH\""
		;;
	esac
fi
