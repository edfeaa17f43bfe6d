# What the shell tests share. They begin with
#	. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"
# and end with finish. They need nothing but POSIX tools, and by hand they run as
#	PIPEGANTT=build/pipegantt sh tests/NAME.sh
# Each works in an empty folder of its own, which is also where run leaves its out and err.
# shellcheck shell=sh
set -u

SRCDIR=$(CDPATH='' cd -- "${SRCDIR:-$(dirname -- "$0")/..}" && pwd)
BUILDDIR=$(CDPATH='' cd -- "${BUILDDIR:-$SRCDIR/build}" 2>/dev/null && pwd)
PIPEGANTT=${PIPEGANTT:-$BUILDDIR/pipegantt}
case $PIPEGANTT in
/*) ;;
*) PIPEGANTT=$PWD/$PIPEGANTT ;;
esac
PIPEGANTT_ASSETS=${PIPEGANTT_ASSETS:-$SRCDIR/assets}
SANITIZE=${SANITIZE:-no}
LC_ALL=C.UTF-8
TERM=xterm-256color
export PIPEGANTT PIPEGANTT_ASSETS LC_ALL TERM
unset NO_COLOR COLORTERM LINES COLUMNS LANGUAGE POSIXLY_CORRECT

if [ ! -x "$PIPEGANTT" ]; then
	echo "there is no program $PIPEGANTT: set PIPEGANTT" >&2
	exit 99
fi
scratch=$(mktemp -d) || exit 99
scratch=$(CDPATH='' cd -- "$scratch" && pwd -P)
trap 'chmod -R u+rwx "$scratch"; rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
XDG_STATE_HOME=$scratch/state # what is unsaved at the end of a test is nobody's
export XDG_STATE_HOME
cd "$scratch" || exit 99
exec </dev/null

passed=0
failed=0

# What a failure shows of a text: its beginning, with nothing a terminal could obey.
excerpt() {
	printf '%s' "$1" | head -c 600 | LC_ALL=C sed -n 'l 999' | head -n 12 | sed 's/\$$//; s/^/    | /'
}

pass() {
	passed=$((passed + 1))
}

# fail WHAT [EXPECTED GOT]
fail() {
	failed=$((failed + 1))
	printf 'FAIL: %s\n' "$1"
	if [ $# -gt 1 ]; then
		printf '  expected:\n'
		excerpt "$2"
		printf '  got:\n'
		excerpt "$3"
	fi
}

# equal WHAT EXPECTED GOT
equal() {
	if [ "$2" = "$3" ]; then
		pass
	else
		fail "$@"
	fi
}

# holds WHAT COMMAND...: does the command succeed?
holds() {
	_what=$1
	shift
	if "$@"; then
		pass
	else
		fail "$_what" "success of: $*" "status $?"
	fi
}

# same WHAT FILE FILE: are they equal byte by byte?
same() {
	if cmp -s -- "$2" "$3"; then
		pass
	else
		fail "$1" "$(cat -- "$2" 2>&1)" "$(cat -- "$3" 2>&1)"
	fi
}

# Has a file a control character in it, one byte or the two of C1, other than the newline?
has_control() {
	LC_ALL=C tr -d '\n' <"$1" | LC_ALL=C grep -q "[[:cntrl:]]\\|$c1"
}
c1=$(printf '\302[\200-\237]')

# What holds of every run: an exit status that the program knows, and on success nothing on standard
# error, on failure one message there and nothing on standard output.
check_run() {
	if [ "$status" -gt 2 ]; then
		fail "$ran" "exit status 0, 1 or 2" "$status: $(head -n 40 err)"
	elif [ "$status" -eq 0 ] && [ -s err ]; then
		fail "$ran" "nothing on standard error" "$(cat err)"
	elif [ "$status" -ne 0 ] && [ -s out ]; then
		fail "$ran" "nothing on standard output on failure" "$(head -c 300 out)"
	elif [ "$status" -ne 0 ] && [ "$(grep -c '' err):$(grep -c '^pipegantt: .' err)" != 1:1 ]; then
		fail "$ran" "one line 'pipegantt: ...' on standard error" "$(cat err)"
	elif has_control err; then
		fail "$ran" "a message of printable characters" "$(cat err)"
	fi
}

# run ARG...: runs the program; $status, out and err are what comes of it.
run() {
	ran="pipegantt $*"
	"$PIPEGANTT" "$@" >out 2>err
	status=$?
	check_run
}

# works ARG...: a run that has to succeed.
works() {
	run "$@"
	if [ "$status" -eq 0 ]; then
		pass
	else
		fail "$ran" "exit status 0" "$status: $(head -n 20 err)"
	fi
}

# refuses STATUS WHERE WORDS ARG...: a run that has to fail with that status and the message
# "pipegantt: WHERE: ...", the words (a pattern of case) somewhere in it.
refuses() {
	_status=$1
	_where=$2
	_words=$3
	shift 3
	run "$@"
	_message=$(head -n 1 err)
	case $status:$_message in
	"$_status:pipegantt: $_where: "*)
		# The words are a pattern.
		# shellcheck disable=SC2254
		case ${_message#"pipegantt: $_where: "} in
		*$_words*) pass ;;
		*) fail "$ran" "'$_words' in the message" "$_message" ;;
		esac
		;;
	*) fail "$ran" "status $_status, 'pipegantt: $_where: '..." "status $status, '$_message'" ;;
	esac
}

# value NAME: a value of a summary in out.
value() {
	sed -n "s/^$1 //p" out
}

# member NAME: a number, text or list of an object in the json of out, without the brackets of a
# list. The first object with such a member has it.
member() {
	awk -v name="\"$1\":" '{
		at = index($0, name)
		if (at == 0)
			next
		rest = substr($0, at + length(name))
		if (substr(rest, 1, 1) == "[")
			rest = substr(rest, 2, index(rest, "]") - 2)
		else if (match(rest, /^[^,}]*/))
			rest = substr(rest, 1, RLENGTH)
		print rest
		exit
	}' out
}

# The test's last word, and its exit status.
finish() {
	printf '%s: %d passed, %d failed\n' "$(basename -- "$0")" "$passed" "$failed"
	[ "$failed" -eq 0 ]
	exit
}
