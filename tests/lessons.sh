#!/bin/sh
# Lessons as files: what is wrong in one is refused with its place, what is right is printed; the course
# that comes with the program; progress, and that a lesson never needs it.
# lib.sh is not followed; lessons have dollars and backslashes of their own.
# shellcheck disable=SC1091,SC2154,SC2016
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

HOME=$scratch/home
export HOME
unset XDG_STATE_HOME
mkdir "$HOME"

# given NAME LINE...: a file of these lines.
given() {
	name=$1
	shift
	printf '%s\n' "$@" >"$name"
}

# bad LINE WORDS LINE...: a lesson of these lines is refused at that line, in these words.
bad() {
	place=$1 words=$2
	shift 2
	given bad.ini "$@"
	refuses 2 "bad.ini$place" "$words" --lesson --print bad.ini
}

# ---- files that are wrong ----

bad '' 'there is no [[]lesson]' ''
bad '' 'there is no [[]lesson]' '[pipeline]' 'stages = 4'
bad :1 'needs a title' '[lesson]' 'text = x'
bad :1 'needs a text' '[lesson]' 'title = x'
bad :1 'a key stands before the first' 'title = x' '[lesson]'
bad :3 "'tilte' is no key of [[]lesson]: it has title, text, try, question" \
	'[lesson]' 'title = x' 'tilte = y'
bad :4 'title is there twice: first in line 2' '[lesson]' 'title = x' 'text = x' 'title = y'
bad :3 '[[]lesson] is there twice: first in line 1' '[lesson]' 'title = x' '[lesson]'
bad :3 '[[]lesston] is no section: there are [[]lesson], [[]wrong N], [[]else], [[]scenario]' \
	'[lesson]' 'title = x' '[lesston]'
bad :3 'text is empty' '[lesson]' 'title = x' 'text ='
bad :2 'title is 61 bytes long: at most 60' '[lesson]' "title = $(printf '%061d' 0)" 'text = x'
bad :3 'text is 1001 bytes long: at most 1000' '[lesson]' 'title = x' "text = $(printf '%01001d' 0)"
bad :3 'neither a [[]section] nor a key' '[lesson]' 'title = x' 'text'
bad :4 'goes on with text of line 3, which it cannot' '[lesson]' 'title = x' 'text = x' ' [else]'

set -- '[lesson]' 'title = x' 'text = x' 'question = How many?'
bad :4 'question needs an answer or a goal' "$@"
bad :1 'there is an answer but no question' '[lesson]' 'title = x' 'text = x' 'answer = 1'
bad :5 "'many' is no number: 28, 1.5, 3/4 or 75% is needed" "$@" 'answer = many'
bad :6 'goal cannot stand beside answer or choices' "$@" 'answer = 1' 'goal = bubble < 1'
bad :5 'choices need the right letter' "$@" 'choices = a | b'
bad :5 'choices need two at least' "$@" 'choices = a' 'answer = a'
bad :5 'between two | there is no choice' "$@" 'choices = a || b' 'answer = a'
bad :5 'more than 8 choices' "$@" 'choices = 1|2|3|4|5|6|7|8|9' 'answer = a'
bad :6 "'c' is none of the letters a to b" "$@" 'choices = x | y' 'answer = c'
bad :6 'tolerance needs a number' "$@" 'answer = 1' 'tolerance = some'
bad :6 'tolerance needs a number' "$@" 'answer = 1' 'tolerance = -1'
bad :7 'tolerance is for an answer that is a number' "$@" 'choices = x | y' 'answer = a' 'tolerance = 1'
bad :5 "at 'peek_stash < 4': no such figure; there are schedule, answer, makespan" \
	"$@" 'goal = peek_stash < 4'
bad :5 'compares nothing' "$@" 'goal = bubble'
bad :5 'the goal holds before anything is changed' "$@" 'goal = bubble > 0'
bad :6 "at 'bubbel': no such figure" "$@" 'answer = 1' 'next = {bubbel}'
bad :6 'a { needs a }' "$@" 'answer = 1' 'next = {bubble'
bad :6 'tolerance is a share, but the answer is a plain number' "$@" 'answer = 1' 'tolerance = 5%'
bad :7 "'25%' is a share, but the answer of [[]lesson] is a plain number: 28, 1.5 or 3/4 is needed" \
	"$@" 'answer = 1' '[wrong 1]' 'answer = 25%' 'say = x'
# A figure that there is not would be shown as "?".
bad :6 'idle 4: this step has no device 4, its last one is 3' "$@" 'answer = 1' 'next = {idle 4}'
bad :7 'cost 9: this step has no stage 9, its last one is 3' "$@" 'answer = 1' '[else]' 'say = {2 * cost 9}'
bad :8 'stash 4: this step has no device 4' "$@" 'answer = 1' '[wrong 1]' 'answer = 2' 'say = {stash 4}'
bad :6 'layers 0: the stages of this step have no layers' "$@" 'answer = 1' 'next = {layers 0}'
bad :6 'memory_limit: this step has no memory_limit' "$@" 'answer = 1' 'next = {memory_limit}'
bad :6 'answer: nothing is typed here' "$@" 'goal = bubble < 0.1' 'next = {answer}'
bad :5 'start idle 4: this step has no device 4' "$@" 'goal = idle 0 < start idle 4'
bad :7 'start work 4: this step has no device 4' \
	"$@" 'goal = bubble < 0.1' '[wrong 1]' 'when = work 0 < start work 4' 'say = x'

bad :6 '[[]wrong N] needs a number from 1 to 16' "$@" 'answer = 1' '[wrong]'
bad :6 '[[]wrong N] needs a number from 1 to 16' "$@" 'answer = 1' '[wrong 17]'
bad :6 'needs either answer or when' "$@" 'answer = 1' '[wrong 1]' 'say = x'
bad :6 'needs either answer or when' "$@" 'answer = 1' '[wrong 1]' 'say = x' 'answer = 2' 'when = answer = 3'
bad :6 'needs the words for it' "$@" 'answer = 1' '[wrong 1]' 'answer = 2'
bad :7 'this is the right answer, or within its tolerance' "$@" 'answer = 1' '[wrong 1]' 'answer = 1' 'say = x'
bad :8 'this is the right answer, or within its tolerance' \
	"$@" 'answer = 1' 'tolerance = 0.5' '[wrong 1]' 'answer = 1.5' 'say = x'
bad :7 'nothing is typed here: when = CONDITION' "$@" 'goal = bubble < 0.1' '[wrong 1]' 'answer = 1' 'say = x'
bad :9 '[[]wrong 1] is there twice: first in line 6' \
	"$@" 'answer = 1' '[wrong 1]' 'answer = 2' 'say = x' '[wrong 1]'
bad :7 "at '<': a number" "$@" 'answer = 1' '[wrong 1]' 'when = <' 'say = x'
bad :8 "at 'nothing': no such figure" "$@" 'answer = 1' '[wrong 1]' 'when = answer = 2' 'say = {nothing}'
bad :6 '[[]else] needs words' "$@" 'answer = 1' '[else]'
bad :7 "'answer' is no key of [[]else]: it has say" "$@" 'answer = 1' '[else]' 'answer = 3'
bad :4 'nothing is asked, so nothing can be wrong' '[lesson]' 'title = x' 'text = x' '[else]' 'say = x'

# The scenario has the strictness, and the line numbers, of any scenario.
set -- "$@" 'answer = 1' '[else]' 'say = No.'
bad :9 "'stagse' is no key of [[]pipeline]" "$@" '[pipeline]' 'stagse = 4'
bad :9 'stages' "$@" '[pipeline]' 'stages = 0'
bad :8 'there is no stage 7' "$@" '[stage 7]' 'forward = 2'
given bad.ini '[pipeline]' 'stages = 3' '[lesson]' 'title = x' 'text = x' '[costs]' 'forward = no'
refuses 2 bad.ini:7 forward --lesson --print bad.ini
bad :2 'the scenario ?nowhere? cannot be opened: no such file' \
	'[lesson]' 'scenario = nowhere' 'title = x' 'text = x'
bad :2 'scenario cannot stand beside the sections of a scenario (line 5)' \
	'[lesson]' 'scenario = gpipe' 'title = x' 'text = x' '[pipeline]' 'stages = 3'
given broken.ini '[pipeline]' 'stages = many'
given bad.ini '[lesson]' 'scenario = broken.ini' 'title = x' 'text = x'
refuses 2 broken.ini:2 many --lesson --print bad.ini

# ---- files that are right ----

# What is not there yet may come to be: a goal can be about a device that is still to be added.
given later.ini '[lesson]' 'title = x' 'text = x' 'question = Six devices?' \
	'goal = stages = 6 and idle 5 < 1' 'next = {idle 3}'
works --lesson --print later.ini

given good.ini '; a comment' '[pipeline]' 'stages = 2' 'micro_batches = 1' '[lesson]' 'title = Short' \
	'text = One line' '  goes on,' '' '  and a paragraph.' 'try = P' \
	'question = What is the makespan?' 'answer = 6' 'next = So it is: {makespan}.' \
	'[wrong 2]' 'when = answer > 6' 'say = Less.' '[wrong 1]' 'answer = 7' 'say = Nearly.'
works --lesson --print --width 60 good.ini
equal "a printed lesson" '1. Short

One line goes on,
and a paragraph.' "$(head -n 4 out)"
holds "with its chart" grep -q 'makespan=6 ' out
holds "and its question" grep -q '^Question: What is the makespan?$' out
holds "but no answer" test "$(grep -c 'So it is\|Nearly' out)" -eq 0
cp out first
works --lesson --width 60 good.ini
same "without a terminal --print is implied" first out
works --lesson --width 60 -o lesson.txt good.ini
same "into a file" first lesson.txt
mkdir folder
cp good.ini folder/02-b.ini
sed 's/Short/Earlier/' good.ini >folder/01-a.ini
works --lesson --print folder
equal "a folder in the order of its names" '1. Earlier
2. Short' "$(grep '^[0-9]*[.] ' out)"
rm -f folder/*
refuses 2 folder 'no lesson' --lesson --print folder
printf '\357\273\277[lesson]\r\ntitle = x\r\ntext = y\r\n' >dos.ini
works --lesson --print dos.ini
printf '[lesson]\ntitle = a\033[31mb\ntext = c\033]0;d\007\302\233e' >escape.ini
works --lesson --print escape.ini
holds "nothing that a terminal obeys" test "$(has_control out && echo yes)" = ""
given other.ini '[lesson]' 'scenario = slow-stage-late' 'title = x' 'text = y'
works --lesson --print other.ini
holds "an installed scenario" grep -q 'makespan=45 ' out
holds "without its notes" test "$(grep -c 'last stage is the worst' out)" -eq 0

# ---- the course that comes with the program ----

works --list-lessons
cp out list
equal "each installed lesson is listed" "$(cd "$PIPEGANTT_ASSETS/lessons" && for file in *.ini; do echo "${file%.ini}"; done)" \
	"$(cut -f 1 list)"
holds "with a title" test "$(cut -f 2 list | grep -c '^[A-Z]')" -eq "$(grep -c '' list)"
holds "of twelve steps at least" test "$(grep -c '' list)" -ge 12
works --lesson --print
equal "all of them are printed" "$(cut -f 2 list)" "$(sed -n 's/^[0-9]*[.] //p' out)"
while IFS='	' read -r id title; do
	works --lesson --print --width 80 "$id"
	equal "$id alone" "$title" "$(sed -n 's/^[0-9]*[.] //p' out)"
	holds "lines of $id fit 80 columns" awk '{ gsub(/[\200-\277]/, "") } length > 80 { exit 1 }' out
	cp out first
	works --lesson --print --width 80 "${id#*-}"
	same "$id without its number" first out
done <list
works --lesson --print 3
holds "by its number" grep -q '^3[.] ' out
PIPEGANTT_ASSETS=$scratch/nowhere refuses 1 "$scratch/nowhere/lessons" 'cannot be opened' --lesson --print

# ---- what does not go with it ----

refuses 1 nowhere 'no such file or folder, and no installed lesson' --lesson --print nowhere
refuses 2 lesson.txt 'ends in .ini' --lesson --print lesson.txt
refuses 2 --stages 'a lesson brings its own scenario' --lesson --print -p 3
refuses 2 --families 'a lesson is shown or printed' --lesson --families
refuses 2 --compare 'a lesson is shown or printed' --lesson --compare good.ini other.ini
refuses 2 --sweep 'a lesson is shown or printed' --lesson --sweep m=1..4
refuses 2 --format 'as text only' --lesson --format json
refuses 2 other.ini 'one lesson' --lesson --print good.ini other.ini
works --lesson --help
equal "nothing printed touches progress" "" "$(ls -A "$HOME")"

finish
