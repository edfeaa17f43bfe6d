#!/bin/sh
# Saves under a disk that fails and a program that is killed, at every call that a save makes: what was
# there stays or is replaced whole, and a save that failed leaves nothing behind. See faults.c.
# lib.sh is not followed.
# shellcheck disable=SC1091,SC2154
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

shim=$BUILDDIR/tests/faults.so
keep=$BUILDDIR/tests/keep_once
if [ ! -e "$shim" ]; then
	echo "FAIL: tests/faults.so was not made: where it cannot be, it is empty"
	exit 1
fi
if [ "$SANITIZE" = yes ] || [ ! -s "$shim" ]; then
	echo "skipped: nothing can be preloaded into this program"
	exit 77
fi
box=$scratch/box
state=$scratch/box/state/pipegantt

# faulty N HOW COMMAND...: runs it with that fault; $status, out, err. False when the fault did not happen.
faulty() {
	_at=$1
	_how=$2
	shift 2
	rm -f "$scratch/log"
	{
		# The shell of the brackets says who was killed.
		(
			LD_PRELOAD=$shim FAULT_UNDER=$box FAULT_AT=$_at FAULT_HOW=$_how \
				FAULT_LOG=$scratch/log "$@" >out 2>err
			exit $?
		)
		status=$?
	} 2>/dev/null
	[ -s "$scratch/log" ]
}

"$PIPEGANTT" -m 9 --format ini >new.ini
"$PIPEGANTT" -m 5 --format ini >old.ini

# judge WHAT FILE: after a fault at call $n
judge() {
	what="$1, call $n ($(head -n 1 log))"
	if [ "$status" -gt 128 ]; then # killed
		holds "$what: old or new" is_either "$2"
		return
	fi
	rest=$(find "$box" -name '.pipegantt*')
	case $how in
	all*) rest= ;; # it could not be removed either
	esac
	equal "$what: nothing is left behind" '' "$rest"
	if [ "$status" -eq 0 ]; then
		same "$what: done" new.ini "$2"
	else
		equal "$what: status" 1 "$status"
		equal "$what: one line says so" 1 "$(grep -c '^pipegantt: .' err)"
		holds "$what: as it was" is_old "$2"
	fi
}

is_old() {
	if [ "$begins" = nothing ]; then
		[ ! -e "$1" ]
	else
		cmp -s old.ini "$1"
	fi
}

is_either() {
	is_old "$1" || cmp -s new.ini "$1"
}

# save HOW BEGINS: faults at every call of `-o`, over an old file, a link to one, or nothing
save() {
	how=$1
	begins=$2
	n=1
	while :; do
		rm -rf "$box"
		mkdir "$box"
		target=$box/file.ini
		[ "$begins" = nothing ] || cp old.ini "$target"
		[ "$begins" != link ] || { ln -s file.ini "$box/link.ini" && target=$box/link.ini; }
		faulty $n "$how" "$PIPEGANTT" -m 9 -o "$target" || break
		judge "save over $begins, $how" "$target"
		[ "$begins" != link ] || holds "the link stays one" test -h "$target"
		n=$((n + 1))
	done
	same "without a fault" new.ini "$target"
	holds "there were calls to fail ($n)" test $n -gt 5
}

for how in 28 5 4 'all 28' kill after half; do
	save "$how" old
done
for how in 122 kill half; do
	save "$how" link
	save "$how" nothing
done

# The same for the system calls that strace sees, not only those the program is known to make.
kills() {
	strace -qq -o calls "$PIPEGANTT" -m 9 -o "$box/file.ini" 2>err || return 0
	sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' calls | sort | uniq -c >counts
	while read -r count call; do
		case $call in exit_group | execve | brk | mmap | mprotect | munmap) continue ;; esac
		n=1
		while [ $n -le "$count" ]; do
			cp old.ini "$box/file.ini"
			strace -qq -o /dev/null -e "inject=$call:signal=KILL:when=$n" \
				"$PIPEGANTT" -m 9 -o "$box/file.ini" >out 2>err
			if ! is_either "$box/file.ini"; then
				fail "killed at $call $n" "the old file or the new" "$(cat "$box/file.ini")"
			fi
			n=$((n + 1))
		done
		pass
	done <counts
}
if strace -qq -o /dev/null true 2>/dev/null; then
	begins=old
	kills
else
	echo "strace is missing or not allowed: its part is left out"
fi

# ---- what is kept of unsaved changes ----

XDG_STATE_HOME=$box/state
export XDG_STATE_HOME

files() {
	find "$box" -type f | wc -l | tr -d ' '
}

offers() {
	"$keep" offers | tr '\n' ' '
}

# kept HOW: faults at every call when changes are kept, with none kept before
kept() {
	how=$1
	n=1
	while :; do
		rm -rf "$box"
		mkdir "$box"
		faulty $n "$how" "$keep" new || break
		what="keep, $how, call $n ($(head -n 1 log))"
		case $status:$(cat out):$(offers) in
		0:kept:'9 ') equal "$what: in one file" 1 "$(files)" ;;
		0:failed:) [ "$how" = 'all 28' ] || equal "$what: nothing is left behind" 0 "$(files)" ;;
		0:failed:'9 ') equal "$what: it could not be removed" 'all 28' "$how" ;;
		137::'9 ' | 137::) pass ;;
		*) fail "$what" "kept and offered, or neither" "$status:$(cat out):$(offers)" ;;
		esac
		n=$((n + 1))
	done
	equal "kept without a fault" 'kept:9 ' "$(cat out):$(offers)"
	holds "there were calls to fail ($n)" test $n -gt 5
}

# kept_again HOW: the same when that takes the place of what was kept before
kept_again() {
	how=$1
	n=1
	while :; do
		rm -rf "$box"
		mkdir "$box"
		"$keep" new >out
		faulty $n "$how" "$keep" again || break
		what="keep again, $how, call $n ($(head -n 1 log))"
		case $status:$(cat out):$(offers) in
		0:kept:'10 ') pass ;;
		0:*:'10 9 ' | 0:*:'9 10 ')
			[ "$how" = 'all 28' ] || equal "$what: the old one could not be removed" unlink "$(cat log)"
			;;
		0:failed:'9 ') [ "$how" = 'all 28' ] || equal "$what: the old one stays" 1 "$(files)" ;;
		0:nothing: | 0:failed: | 137::) fail "$what" "something to offer" "$status:$(cat out)" ;;
		137::'9 ' | 137::'10 ' | 137::'10 9 ' | 137::'9 10 ') pass ;;
		# where not even the kept ones can be read the default is changed, and the kept ones stay
		0:*:'9 ' | 0:*:'9 9 ') pass ;;
		*) fail "$what" "old or new" "$status:$(cat out):$(offers)" ;;
		esac
		n=$((n + 1))
	done
	equal "kept again without a fault" 'kept:10 ' "$(cat out):$(offers)"
}

for how in 28 5 4 'all 28' kill after half; do
	kept "$how"
	kept_again "$how"
done

# calls COMMAND...: how many there are to fail
calls() {
	rm -rf "$box"
	mkdir "$box"
	_n=1
	while faulty $_n 5 "$@"; do
		rm -rf "$box"
		mkdir "$box"
		[ $_n -lt 200 ] || break
		_n=$((_n + 1))
	done
	echo $((_n - 1))
}

# twice HOW: faults at every call while changes go on: what lies there is old or new, and never less than
# what lay there before
twice() {
	how=$1
	n=1
	while :; do
		rm -rf "$box"
		mkdir "$box"
		faulty $n "$how" "$keep" twice || break
		what="twice, $how, call $n ($(head -n 1 log))"
		offered=$(offers)
		case $how:$status:$(cat out):$offered in
		all*:0:failed:) holds "$what: nothing was there" test $n -le "$once" ;;
		all*:0:failed:'9 ') holds "$what: the first was there" test $n -gt 1 ;;
		[0-9]*:0:kept:'10 ') pass ;; # tried again
		all*:0:kept:'10 ') pass ;; # when all was done
		*:137::) holds "$what: nothing was there" test $n -le "$once" ;;
		*:137::'9 ' | *:137::'10 ' | *:137:kept:'10 ') pass ;;
		*) fail "$what" "old or new" "$status:$(cat out):$offered" ;;
		esac
		case $how in
		[0-9]*) equal "$what: nothing is left behind" 1 "$(files)" ;;
		esac
		n=$((n + 1))
	done
	equal "twice without a fault" 'kept:10 ' "$(cat out):$(offers)"
	equal "twice, one file" 1 "$(files)"
	holds "twice: there were calls to fail ($n)" test $n -gt 14
}

once=$(calls "$keep" holds </dev/null)
holds "one change makes some calls ($once)" test "$once" -gt 8
for how in 28 5 4 'all 28' 'all 5' kill after half; do
	twice "$how"
done

# A file that may not grow is a full disk too.
rm -rf "$box"
equal "no room at all" failed "$(
	trap '' XFSZ
	ulimit -f 0
	"$keep" twice
)"
equal "no room at all: nothing is left behind" 0 "$(files)"

# ---- two programs at once ----

# lives WITH-LOCKS: what a running program keeps is nobody else's; what a killed one kept is offered
lives() {
	rm -rf "$box"
	mkdir "$box"
	mkfifo "$box/hold"
	rm -f said
	env $1 "$keep" holds <"$box/hold" >"$scratch/said" &
	pid=$!
	exec 3>"$box/hold"
	until grep -q . said 2>grep.err; do sleep 0.02; done
	equal "$1: kept" kept "$(cat said)"
	equal "$1: not offered while it runs" '' "$(env $1 "$keep" offers)"
	sed 's/^; host = .*/; host = elsewhere/' "$state"/unsaved-*.ini >there
	for file in "$state"/unsaved-*.ini; do
		cp there "${file%.ini}.bak"
	done
	kill -9 $pid
	wait $pid 2>/dev/null
	exec 3>&-
	equal "$1: offered when it was killed" 9 "$(env $1 "$keep" offers)"
	case $(env $1 "$keep" says) in
	*"changes to the default, "*) pass ;;
	*) fail "$1: its own host is not said" "the default, ..." "$(env $1 "$keep" says)" ;;
	esac
	mv "${file%.ini}.bak" "$file"
	case $(env $1 "$keep" says) in
	*"changes to the default on elsewhere, "*) pass ;;
	*) fail "$1: another host is said" "on elsewhere" "$(env $1 "$keep" says)" ;;
	esac
}
lives A=locks
lives "LD_PRELOAD=$shim FAULT_UNDER=$box FAULT_NOLOCK=1"

# ---- progress in the lessons ----

# learns HOW BEFORE: the second answer is kept; BEFORE: steps answered and kept before that
learns() {
	how=$1
	n=1
	while :; do
		rm -rf "$box"
		mkdir "$box"
		[ "$2" = 0 ] || "$keep" learn "$2" >out
		faulty $n "$how" "$keep" learn 2 || break
		what="learn after $2, $how, call $n ($(head -n 1 log))"
		case $status:$(cat out):$("$keep" learned) in
		0:kept:2 | 0:failed:"$2" | 137::2 | 137::"$2") pass ;;
		*) fail "$what" "the old answers or the new" "$status:$(cat out):$("$keep" learned)" ;;
		esac
		n=$((n + 1))
	done
	equal "learnt without a fault" kept:2 "$(cat out):$("$keep" learned)"
	holds "there were calls to fail ($n)" test $n -gt 8
}
for how in 28 'all 5' kill half; do
	learns "$how" 1
	learns "$how" 0
done

# ---- a name that is taken ----
rm -rf "$box"
"$keep" new >out
"$keep" new >out
"$keep" new >out
equal "three ends, three files" 3 "$(files)"
equal "all offered" '9 9 9 ' "$(offers)"
equal "for nobody else" "$(printf '600\n600\n600\n700')" "$(stat -c %a "$state"/* "$state")"
finish
