# shellcheck shell=sh
# shellcheck disable=SC2154 # here and stacksnap are the scripts'
#
# What the capture scripts share: options, file names, keeping the newest,
# minding the disk. Read by them, not run. POSIX sh; works with the tools of
# Linux (GNU, busybox) and of macOS.

# shellcheck source-path=SCRIPTDIR source=lib/options.sh disable=SC1091
. "$here/lib/options.sh"

# What all that watch a process can be told, and what holds until then.
# shellcheck disable=SC2034
capture_options='target:text:-p:--pid dir:text:--dir keep:0:--keep min_free:0:--min-free program:text:--stacksnap'
# shellcheck disable=SC2034
target='' dir=${HOME:-.}/stacksnap keep=20 min_free=500 program=''

# find_stacksnap prints the program: $1 when given, $STACKSNAP, the one beside
# these scripts, or that of the PATH.
find_stacksnap() {
	for program in "$1" "${STACKSNAP:-}" "$here/../stacksnap" stacksnap; do
		[ -n "$program" ] || continue
		command -v "$program" && return
		case $program in "$1" | "${STACKSNAP:-}") break ;; esac
	done
	fail "stacksnap was not found: build it (go build -o stacksnap .), or name it by --stacksnap PATH"
}

is_pid() {
	case $1 in '' | *[!0-9]* | 0*) return 1 ;; esac
}

# is_alive tells whether a pid is a process, other users' too, and no zombie.
is_alive() {
	case $(ps -o stat= -p "$1" 2>/dev/null) in '' | Z*) return 1 ;; esac
}

# pids_of prints the processes of exactly this name or program, one a line.
# macOS's comm is a path; Linux cuts it at 15 bytes.
pids_of() {
	ps -A -o pid= -o stat= -o comm= | NAME=$1 awk -v self="$$" '
		{ pid = $1; stat = $2; sub(/^ *[0-9]+ +[^ ]+ +/, ""); sub(/ +$/, "")
		  base = $0; sub(/^.*\//, "", base); want = ENVIRON["NAME"] }
		pid == self || stat ~ /^Z/ { next }
		$0 == want || base == want || (length($0) == 15 && $0 == substr(want, 1, 15)) { print pid }'
}

# name_of prints the name of a pid.
name_of() {
	name=$(ps -o comm= -p "$1" 2>/dev/null) || return
	basename -- "${name:-process}"
}

# one_pid sets pid to the process that $1, a pid or a name, is. Returns 3 when
# there is none, 2 after having listed several.
one_pid() {
	if is_pid "$1"; then
		pid=$1
		is_alive "$pid" || return 3
		return
	fi
	pid=$(pids_of "$1")
	case $pid in
	'') return 3 ;;
	*[!0-9]*)
		note "several processes are named \"$1\"; choose one by its pid:" "$(echo "$pid" | tr '\n' ' ')"
		return 2
		;;
	esac
}

# safe_name prints a process's name as it stands in file names.
safe_name() {
	safe=$(printf %s "$1" | LC_ALL=C tr -c 'A-Za-z0-9._+-' '_' | LC_ALL=C cut -b 1-64)
	printf '%s\n' "${safe:-process}"
}

# new_file prints a path in the folder $1 that does not exist yet, for the
# process named $2 with the pid $3, with the suffix $4.
new_file() {
	base=$1/stacksnap-$(safe_name "$2")-$3-$(date -u +%Y%m%dT%H%M%SZ)
	path=$base.$4 again=1
	while [ -e "$path" ]; do
		again=$((again + 1))
		path=$base-$again.$4
	done
	printf '%s\n' "$path"
}

# prune keeps the newest $4 of the files that new_file names in the folder $1 for
# the name $2 and the suffix $3, the file $5 among them whatever its time. It
# touches nothing else.
prune() {
	[ "$4" -gt 0 ] || return 0
	spare=$(basename "$5")
	find "$1/." ! -name . -prune -type f -name 'stacksnap-*' -print |
		NAME=$(safe_name "$2") EXT=$3 SPARE=$spare awk '
		{ file = rest = $0; sub(/^.*\//, "", file); rest = file
		  head = "stacksnap-" ENVIRON["NAME"] "-"; end = "." ENVIRON["EXT"]
		  if (file == ENVIRON["SPARE"] || substr(rest, 1, length(head)) != head) next
		  rest = substr(rest, length(head) + 1)
		  if (substr(rest, length(rest) - length(end) + 1) != end) next
		  rest = substr(rest, 1, length(rest) - length(end))
		  n = split(rest, part, "-")
		  if (n < 2 || n > 3 || part[1] !~ /^[1-9][0-9]*$/) next
		  if (length(part[2]) != 16 || part[2] !~ /^[0-9]+T[0-9]+Z$/ || substr(part[2], 9, 1) != "T") next
		  if (n == 3 && part[3] !~ /^[1-9][0-9]*$/) next
		  printf "%s %06d %s\n", part[2], n == 3 ? part[3] : 1, file }' |
		sort -r | awk -v keep="$(($4 - 1))" 'NR > keep { print $3 }' |
		while IFS= read -r old; do rm -f -- "$1/$old"; done
}

# free_mb prints how many megabytes are free where the folder $1 is.
free_mb() {
	df -Pk "$1" | awk 'NR == 2 { for (i = 2; i <= NF; i++) if ($i ~ /^[0-9]+%$/) { print int($(i - 1) / 1024); exit } }'
}

# has_room tells whether at least $2 megabytes are free there. It says yes where
# df does not tell.
has_room() {
	free=$(free_mb "$1")
	[ "${free:-$2}" -ge "$2" ]
}

# folder makes the folder for captures, which show memory: for its owner alone.
folder() {
	(umask 077 && mkdir -p -- "$1") || exit 1
	[ -w "$1" ] || fail "$1 cannot be written"
}

# record takes a recording of the process $2, named $1, with the options in $3
# and so on. Uses stacksnap, dir, keep and min_free; sets file. A recording of a
# target that exited meanwhile is kept. Returns stacksnap's exit code, or 1.
record() {
	record_name=$1 record_pid=$2
	shift 2
	if ! has_room "$dir" "$min_free"; then
		note "less than $min_free MB are free for $dir: $record_name [$record_pid] was not captured"
		return 1
	fi
	file=$(new_file "$dir" "$record_name" "$record_pid" snap)
	partial=$dir/.stacksnap-$$.partial
	"$stacksnap" -p "$record_pid" "$@" --save "$partial" >/dev/null
	code=$?
	case $code in
	0 | 5)
		if [ -s "$partial" ] && mv -- "$partial" "$file"; then
			prune "$dir" "$record_name" snap "$keep" "$file"
			note "$record_name [$record_pid]: $file"
			return "$code"
		fi
		[ "$code" -ne 0 ] || code=1
		;;
	esac
	rm -f -- "$partial"
	note "$record_name [$record_pid] was not captured (stacksnap ended with $code)"
	return "$code"
}
