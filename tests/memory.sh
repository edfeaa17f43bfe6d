#!/bin/sh
# The whole program without memory: every allocation of every printed form fails once, and once with
# all that follow it, those of the C library for us included. Then limits: what is refused for its
# size is refused before memory is taken for it, and a big step in a small address space ends with a
# message.
# lib.sh is not followed; its variables are used here; dash has ulimit -v.
# shellcheck disable=SC1091,SC2154,SC3045
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

failing=$BUILDDIR/tests/failing.so
cat >layers.ini <<'END'
[scenario]
title = Layers
notes = two
  lines
[pipeline]
schedule = zb-h1
stages = 3
micro_batches = 6
[layers]
cost = 0.2, 10*4.2/8.4, 4.8/9.6
END
printf '0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n' >steps.csv
printf '[pipeline]\nschedule = file:steps.csv\n[stage 1]\nforward = 2\n' >steps.ini
mkdir -p folder/scenarios/set folder/lessons
cp "$SRCDIR"/assets/lessons/01-*.ini "$SRCDIR"/assets/lessons/08-*.ini folder/lessons
cp layers.ini folder/scenarios
cp layers.ini folder/scenarios/set

# ---- every allocation fails once ----

# Of several files or lines the first ones may have been printed, and whole.
is_start_of_good() {
	[ ! -s out ] || { [ -n "$has_several" ] && head -c "$(wc -c <out)" good | cmp -s - out; }
}
has_several=

# starve ARG...: status 0 with the same output as ever, or status 1, a message and no output.
starve() {
	LC_ALL=C FAIL_LOG=log LD_PRELOAD=$failing "$PIPEGANTT" "$@" >good 2>/dev/null </dev/null
	[ -s log ] || { fail "$*" "an allocator before the program" "$(ls)"; return; }
	read -r _count _failed _most _largest _left <log
	for _all in '' 1; do
		_n=0
		while [ $_n -lt "$_count" ]; do
			_n=$((_n + 1))
			ran="allocation $_n${_all:+ and all after it} of pipegantt $*"
			rm -f new.out
			env LC_ALL=C "FAIL_AT=$_n" ${_all:+FAIL_ALL=1} "LD_PRELOAD=$failing" \
				"$PIPEGANTT" "$@" >out 2>err </dev/null
			status=$?
			_message=$(cat err)
			if [ $status -eq 0 ]; then
				same "$ran" good out
				[ ! -e new.good ] || same "$ran" new.good new.out
			elif [ $status -ne 1 ] || [ -e new.out ] || ! is_start_of_good; then
				fail "$ran" "status 1, no output" "status $status, $(cat err; head -c 300 out)"
			else
				case $_message in
				"pipegantt: "*memory* | "pipegantt: "*Memory*) pass ;;
				*) fail "$ran" "a message about memory" "$_message" ;;
				esac
			fi
			[ "$failed" -lt 20 ] || finish
		done
	done
}

if [ "$SANITIZE" = yes ] || [ ! -s "$failing" ]; then
	echo "left out: failing allocations of whole programs (no tests/failing.so)"
else
	run_all() {
		for _form in text summary json csv ini pytorch; do
			starve "$1" --format $_form
		done
	}
	for file in layers.ini steps.csv steps.ini; do
		run_all "$file"
	done
	starve layers.ini --families
	starve steps.csv --families --format json
	has_several=1
	starve layers.ini steps.ini --format summary
	has_several=
	starve --compare layers.ini steps.ini
	starve --compare layers.ini steps.ini --format json
	starve --compare layers.ini steps.ini --format csv
	starve layers.ini --sweep m=4..8
	starve layers.ini --sweep m=4..8 --format json
	starve -p 3 --sweep f=1..2 --format csv
	starve -s zbv -p 3 -m 8 -f 1,2,3 -b 2,3,4 -w 0.5 -t 0.25 --color always
	starve --layers '20*1/2' --split 5,5,5,5 --format json
	starve layers.ini -s file:steps.csv --format ini
	PIPEGANTT_ASSETS=$PWD/folder
	export PIPEGANTT_ASSETS
	has_several=1
	starve --list-scenarios
	starve --list-lessons
	starve --lesson 01-idle
	has_several=
	starve set/layers --format summary
	"$PIPEGANTT" layers.ini -o new.good --format json
	starve layers.ini -o new.out --format json
	rm -f new.good new.out
fi

# ---- what is too large is refused before memory is taken for it ----

# modest BYTES WORDS ARG...: refused with these words, and at most so much memory taken until then.
modest() {
	_bytes=$1
	_words=$2
	shift 2
	run "$@"
	# The words are a pattern.
	# shellcheck disable=SC2254
	case $status:$(cat err) in
	2:*$_words*) pass ;;
	*) fail "$ran" "status 2, '$_words' in the message" "status $status, $(cat err)" ;;
	esac
	[ "$SANITIZE" != yes ] && [ -s "$failing" ] || return
	FAIL_LOG=log LD_PRELOAD=$failing "$PIPEGANTT" "$@" >out 2>err
	read -r _count _failed _most _largest _left <log
	if [ "$_most" -le "$_bytes" ]; then
		pass
	else
		fail "$ran" "at most $_bytes bytes" "$_most"
	fi
}

modest 20000 'at most 4096' -p 4097
modest 20000 'at most 4096' -p 4294967297
modest 20000 'at most 4096' -p 1e300
modest 20000 'at most 1000000' -m 1000001
modest 20000 'at most 64' -c 65 -s interleaved
modest 20000 '8192000000 operations: at most 16777216' -p 4096 -m 1000000
modest 20000 'operations: at most 16777216' -p 4096 -m 4096 -c 64 -s interleaved
modest 20000 'operations: at most 16777216' -p 4096 -m 4096 -s zbv
modest 20000 'operations: at most 16777216' -s dualpipe -p 4096 -m 16384
modest 20000 'operations: at most 16777216' -p 4096 -m 1000000 --families
modest 20000 'at most 65536' --layers '4000000000*1'
modest 20000 'is needed' --layers '8*1' --split '4000000000*1'
# A list of 65536 layers is allowed, one more is not.
modest 4000000 'at most 65536' --layers '65536*1,1'
printf '[pipeline]\nstages = 4096\nmicro_batches = 1000000\n' >big.ini
modest 400000 'operations: at most 16777216' big.ini
printf '[stage 262144]\nforward = 1\n' >far.ini
modest 400000 'there can be at most 262144' far.ini
# Half a million commas, in lines that a file may have.
awk 'BEGIN {
	print "[costs]\nforward = 1"
	for (i = 0; i < 500; i++) {
		printf "    "
		for (k = 0; k < 1000; k++)
			printf "1,"
		print ""
	}
}' >commas.ini
modest 16000000 'at most 262144' commas.ini
printf '0F0,1048575F1048575\n' >wide.csv
modest 400000 'at most 262143' wide.csv

# ---- a small address space ----

if [ "$SANITIZE" = yes ]; then
	echo "left out: a small address space (a sanitizer takes a large one)"
else
	# tight KILOBYTES ARG...
	tight() {
		_limit=$1
		shift
		ran="ulimit -v $_limit; pipegantt $*"
		(ulimit -v "$_limit" && exec "$PIPEGANTT" "$@") >out 2>err
		status=$?
		check_run
		case $status:$(cat err) in
		1:"pipegantt: "*memory*) pass ;;
		*) fail "$ran" "status 1 and a message about memory" "status $status, $(cat err)" ;;
		esac
	}
	for _form in text summary json csv pytorch; do
		tight 60000 -p 512 -m 8192 --format $_form
	done
	tight 60000 -p 512 -m 8192 --families
	tight 60000 -p 256 --sweep m=8192..8193
	tight 200000 -p 512 -m 8192 --format csv
	# Enough for the step itself is enough.
	ran="a step that fits"
	(ulimit -v 60000 && exec "$PIPEGANTT" -p 16 -m 64 --format summary) >out 2>err
	equal "$ran" 0 $?
fi

finish
