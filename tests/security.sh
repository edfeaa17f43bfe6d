#!/bin/sh
# Text from outside never reaches a terminal raw. Everything that a person other than the user may
# have written, or that a name may be, is filled with what terminals obey or hide: escape sequences,
# C1 controls as characters and as bytes, invalid UTF-8, bidirectional controls, characters without
# width, towers of marks. Then the bytes of every output are looked at, on pipes and on a terminal.
# lib.sh is not followed; its variables are used here.
# shellcheck disable=SC1091,SC2154
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

tower=$(awk 'BEGIN { printf "e"; for (i = 0; i < 400; i++) printf "\314\201" }')
evil=$(printf 'PWNED\033]0;PWNED\007\033[?9999h\033PPWNED\033\\\302\233?9999h\233?9999h\302\205\377\300\257\355\240\200\342\200\256\342\201\246\342\200\213\357\273\277\363\240\201\201\177%%n%%s')
evil_line=$evil$tower

# ---- what bytes may get out ----

# flaw FILE: what is wrong with its bytes, nothing when they are harmless; a newline and a tab may be.
flaw() {
	LC_ALL=C sed "s/$(printf '\r')\$//" "$1" | LC_ALL=C tr -d '\n\t' >bytes
	if LC_ALL=C grep -q '[[:cntrl:]]' bytes; then
		echo "a control character"
	elif [ "$charset" = C ]; then
		! LC_ALL=C grep -q '[^ -~]' bytes || echo "a byte beyond ASCII"
	elif ! iconv -f UTF-8 -t UTF-8 bytes >/dev/null 2>&1; then
		echo "invalid UTF-8"
	elif LC_ALL=C grep -q "$(printf '\302[\200-\237]')" bytes; then
		echo "a C1 control"
	elif LC_ALL=C grep -q "$(printf '\342\200[\213-\217\252-\256]\\|\342\201[\240-\257]')" bytes; then
		echo "a bidirectional control or a character without width"
	elif LC_ALL=C grep -q "$(printf '\357\273\277\\|\363\240\201')" bytes; then
		echo "an invisible character"
	elif LC_ALL=C grep -q "$(printf '\\(\314\201\\)\\{9\\}')" bytes; then
		echo "a tower of marks"
	fi
}

# harmless ARG...: whatever comes of the run, standard output and error are harmless.
harmless() {
	LC_ALL=$charset "$PIPEGANTT" "$@" >out 2>err </dev/null
	status=$?
	for _stream in out err; do
		_flaw=$(flaw $_stream)
		if [ $status -gt 2 ] || [ -n "$_flaw" ]; then
			fail "$charset, status $status, $_stream: pipegantt $*" "harmless bytes" \
				"$_flaw: $(cat $_stream)"
		else
			pass
		fi
	done
}

# ---- files ----

mkdir bad
cat >evil.ini <<END
[scenario]
title = $evil_line
notes = $evil_line
    $evil_line
time = $evil
[pipeline]
stages = 3
micro_batches = 4
END
cp evil.ini "bad/$evil.ini"
printf '0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n' >"bad/$evil.csv"
printf '0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n' >"bad/q\"uo\\te.csv"
printf '[pipeline]\nschedule = file:%s.csv\n' "$evil" >bad/refers.ini
printf '[pipeline]\nschedule = file:nowhere %s.csv\n' "$evil" >bad/misses.ini
printf '[%s]\n' "$evil" >bad/section.ini
printf '[pipeline]\n%s = 1\n' "$evil" >bad/key.ini
printf '[pipeline]\nstages = %s\n' "$evil" >bad/value.ini
printf '[pipeline]\nschedule = %s\n' "$evil" >bad/schedule.ini
printf '[costs]\nforward = 1,%s,2\n' "$evil" >bad/list.ini
printf '[costs]\nforward = 1,\n  2 = %s\n' "$evil" >bad/goes-on.ini
printf '[layers]\ncost = %s\n' "$evil" >bad/layers.ini
printf '[layers]\ncost = 1,1,1,1\nsplit = %s\n' "$evil" >bad/split.ini
printf '[stage %s]\nforward = 1\n' "$evil" >bad/stage.ini
printf '%s\n' "$evil" >bad/line.ini
printf '0F0,%s\n' "$evil" >bad/cell.csv
printf '0F0,0F%s\n' "$evil" >bad/number.csv
printf '"%s"0F0\n' "$evil" >bad/quoted.csv
printf 'device,stage,micro_batch,kind,start,end\n0,0,0,%s,0,1\n' "$evil" >bad/kind.csv
printf 'device,stage,%s\n0,0,0\n' "$evil" >bad/header.csv
mkdir -p "assets/scenarios/$evil" assets/lessons
cp bad/*.ini assets/scenarios
cp evil.ini "assets/scenarios/$evil"
cat >"assets/lessons/01-$evil.ini" <<END
[lesson]
title = $(printf 'PWNED\033]0;x\007\302\233\233\342\200\256')
text = $evil_line
    $evil_line
try = $evil_line
question = $evil_line
choices = $evil | two
answer = b
[pipeline]
schedule = 1f1b
stages = 3
micro_batches = 4
END
printf '[lesson]\n%s = 1\n' "$evil" >assets/lessons/02-bad.ini

options=$("$PIPEGANTT" --help | sed -n 's/^ *\(-., \)\{0,1\}\(--[a-z-]*\) [A-Z].*/\2/p')
equal "options with a value that --help knows" yes "$([ "$(echo "$options" | wc -l)" -gt 20 ] && echo yes)"

for charset in C.UTF-8 C; do
	for form in text summary json csv ini pytorch; do
		for file in evil.ini "bad/$evil.csv" "bad/q\"uo\\te.csv" bad/refers.ini; do
			# A scenario is read again: in any locale it is UTF-8.
			[ $charset$form != Cini ] || continue
			harmless "$file" --format $form
			harmless "$file" --families --format $form
			harmless evil.ini "$file" --compare --format $form
			harmless "$file" --sweep m=4..5 --format $form
			harmless "$file" --advice --format $form
		done
	done
	for file in bad/*; do
		harmless "$file"
		harmless "$file" --ascii
		harmless "$file" -o "nowhere/$evil.ini"
		harmless -s "file:$file"
	done
	harmless "$evil"
	harmless --lesson "$evil"
	harmless --lesson "assets/lessons/01-$evil.ini"
	harmless --lesson assets/lessons
	for option in $options; do
		harmless "$option" "$evil_line"
		harmless "$option=$evil_line"
	done
	harmless "--$evil"
	harmless "-$evil"
	harmless "--no-mouse=$evil"
	for name in PIPEGANTT_ASSETS TERM COLUMNS NO_COLOR XDG_STATE_HOME HOME; do
		(
			failed=0
			export "$name=$evil"
			harmless --list-scenarios
			harmless gpipe
			harmless evil.ini --lesson
			[ $failed -eq 0 ]
		) || fail "$name" "no failure" "see above"
	done
	(
		failed=0
		PIPEGANTT_ASSETS=$PWD/assets
		export PIPEGANTT_ASSETS
		harmless --list-scenarios
		harmless --list-lessons
		harmless --lesson
		harmless "$evil/evil"
		LC_ALL=$charset "$PIPEGANTT" --list-scenarios | grep -q PWNED || fail "names" "some" "none"
		[ $failed -eq 0 ]
	) || fail "installed files" "no failure" "see above"
done

# What the table is called goes into json as json wants it.
charset=C.UTF-8
"$PIPEGANTT" "bad/q\"uo\\te.csv" --families --format json >out
holds "escapes in json" grep -qF '"schedule":"file:q\"uo\\te.csv"' out
# A scenario cannot name a table whose name a terminal could obey.
refuses 2 --format 'rename the table' "bad/$evil.csv" --format ini

# ---- a terminal ----

# until PATTERN: waits until the terminal has got it
until_seen() {
	_tries=0
	until grep -aq "$1" raw; do
		_tries=$((_tries + 1))
		if [ $_tries -gt 100 ]; then
			fail "the terminal" "$1" "$(tail -c 600 raw)"
			return 1
		fi
		sleep 0.05
	done
}

# What the terminal got: the program's own sequences are those that place, colour, erase, set modes.
screen_is_harmless() {
	charset=$2
	! LC_ALL=C grep -aq "$(printf '\033]\\|\033P\\|\033_\\|\033^\\|\007\\|9999h\\|\302[\200-\237]')" raw ||
		! LC_ALL=C grep -a "$(printf '\033]\\|\033P\\|\033_\\|\033^\\|\007\\|\033\\[?9999\\|\302[\200-\237]')" raw >found ||
		fail "$1" "no sequence from a file" "$(cat found)"
	LC_ALL=C sed "s/$(printf '\033')\\[[?0-9;]*[A-Za-z@]//g; s/$(printf '\033')[()][A-Z0-9]//g; s/$(printf '\033')[=>78M]//g; s/$(printf '[\r\016\017\b]')//g" raw |
		sed '1d;$d' >text
	_flaw=$(flaw text)
	if [ -n "$_flaw" ]; then
		fail "$1" "harmless bytes" "$_flaw: $(cat text)"
	else
		pass
	fi
}

# on_screen NAME LOCALE TERM KEYS ARG...
on_screen() {
	_name=$1
	_locale=$2
	_term=$3
	_keys=$4
	shift 4
	rm -f keys raw
	mkfifo keys
	: >raw
	_command="stty rows 40 cols 120; LC_ALL=$_locale exec \"\$PIPEGANTT\""
	i=0
	for _argument; do
		i=$((i + 1))
		export "argument$i=$_argument"
		_command="$_command \"\$argument$i\""
	done
	TERM=$_term script -qefc "$_command" raw <keys >/dev/null 2>&1 &
	_pid=$!
	exec 3>keys
	until_seen makespan && printf '%b' "$_keys" >&3 && until_seen "'END" && printf '\003Q' >&3
	exec 3>&-
	wait $_pid
	screen_is_harmless "$_name" "$_locale"
	LC_ALL=C grep -aq PWNED raw || fail "$_name" "the text itself" "none"
}

if command -v script >/dev/null && command -v iconv >/dev/null; then
	long=":title $(printf '%s' "$evil" | LC_ALL=C tr -d '\000-\037\177-\377') \r:END\r"
	for locale in C.UTF-8 C; do
		on_screen "a scenario" $locale xterm-256color ":END\r" evil.ini
		on_screen "a file's name" $locale xterm-256color "?q:END\r" "bad/$evil.ini"
		on_screen "a table" $locale vt100 "iq:END\r" "bad/$evil.csv"
		on_screen "a comparison" $locale xterm-256color "d:END\r" --compare evil.ini "bad/$evil.csv"
		on_screen "messages" $locale xterm-256color ":o bad/key.ini\r:o bad/cell.csv\r:o bad/section.ini\r$long" evil.ini
		on_screen "names to complete" $locale xterm-256color ":o bad/P\t\003:w bad/P\t\003:END\r" evil.ini
	done
	export "PIPEGANTT_ASSETS=$PWD/assets"
	on_screen "a lesson" C.UTF-8 xterm-256color ":END\r" --lesson "assets/lessons/01-$evil.ini"
	on_screen "no such terminal" C.UTF-8 "PWNED$(printf '\033]0;x\007')" ":END\r" evil.ini
else
	echo "left out: no script or iconv"
fi

finish
