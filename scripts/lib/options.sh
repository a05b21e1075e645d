# shellcheck shell=sh
# shellcheck disable=SC2154 # options and usage are the scripts'
#
# How the capture scripts read their command lines. Read by them, not run. POSIX sh.
#
# A script lists what it knows in $options, words of VARIABLE:KIND:NAME[:NAME]. KIND
# is "text"; a number, for a number that is no less; or "yes", for an option without
# a value. VARIABLE:words takes what is no option, a line each. Its usage() prints
# the help.

me=$(basename "$0")

# note says a line to the person or the log that reads standard error.
note() { echo "$me: $*" >&2; }

fail() {
	note "$@"
	exit 1
}

# wrong_usage ends as stacksnap does when it is called wrongly.
wrong_usage() {
	note "$* (see $me --help)"
	exit 2
}

# read_options sets the variables that $options has, as its arguments say, and
# after_options to how many of these were read: what follows them, or --, is for
# stacksnap.
read_options() {
	after_options=$#
	while [ $# -gt 0 ]; do
		case $1 in
		-h | --help)
			usage
			exit 0
			;;
		--)
			after_options=$((after_options - $# + 1))
			return
			;;
		--?*=*) set_option "${1%%=*}" inside "${1#*=}" ;;
		-*) set_option "$1" "${2+apart}" "${2-}" ;;
		*) add_word "$1" ;;
		esac
		shift "$words_read"
	done
}

# set_option sets the variable of the option $1. Its value $3 stands inside the
# option's word, or apart as the next one, or is missing.
set_option() {
	find_option "$1" || wrong_usage "what is \"$1\"?"
	words_read=1
	case $kind:$2 in
	yes:inside) wrong_usage "$1 has no value" ;;
	yes:*)
		eval "$variable=yes"
		return
		;;
	*:) wrong_usage "$1 wants a value" ;;
	*:apart) words_read=2 ;;
	esac
	[ "$kind" = text ] || check_number "$1" "$3" "$kind"
	eval "$variable=\$3"
}

# find_option sets variable and kind to those of the option $1.
find_option() {
	case $1 in *:*) return 1 ;; esac
	for entry in $options; do
		case $entry: in *:"$1":*) ;; *) continue ;; esac
		variable=${entry%%:*} kind=${entry#*:}
		kind=${kind%%:*}
		return
	done
	return 1
}

# check_number checks that the value $2 of the option $1 is a number from $3 on.
check_number() {
	case $2 in
	'' | *[!0-9]* | 0?* | ??????????*) wrong_usage "$1 wants a number, not \"$2\"" ;;
	esac
	[ "$2" -ge "$3" ] || wrong_usage "$1 must be at least $3"
}

# add_word adds what is no option to the variable for such.
add_word() {
	words_read=1
	for entry in $options; do
		case $entry in *:words) ;; *) continue ;; esac
		variable=${entry%:words}
		eval "$variable=\$$variable\$1'
'"
		return
	done
	wrong_usage "what is \"$1\"?"
}
