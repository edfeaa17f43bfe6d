#!/bin/sh
# The command line: every option, what it does and what it refuses, exit statuses, and where results
# and messages go.
# lib.sh is not followed; options are split at blanks; awk has dollars of its own.
# shellcheck disable=SC1091,SC2154,SC2086,SC2016
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

user=$(id -u)

# given NAME LINE...: a file of these lines.
given() {
	name=$1
	shift
	printf '%s\n' "$@" >"$name"
}

# alike WHAT FIRST SECOND: do two lists of options give the same json? (They are split at blanks.)
alike() {
	works --format json $2
	mv out first
	works --format json $3
	same "$1" first out
}

# member_of WHAT NAME EXPECTED ARG...: a member of the json that these options give.
member_of() {
	what=$1 name=$2 expected=$3
	shift 3
	works --format json "$@"
	equal "$what" "$expected" "$(member "$name")"
}

given four.ini '[pipeline]' 'schedule = 1f1b' 'stages = 4' 'micro_batches = 6' \
	'[costs]' 'forward = 1, 2, 3, 4' 'backward = 5' '[stage 2]' 'forward = 9'
given layers.ini '[layers]' 'cost = 8*1, 3' 'split = uniform' 'backward_ratio = 3'
given odd.ini '[pipeline]' 'stages = 3'

# ---- what works without anything ----

for action in --help -h --version --keys --list-schedules --list-scenarios --list-lessons; do
	works $action
	holds "$action prints something" [ -s out ]
	mv out first
	(
		unset TERM
		"$PIPEGANTT" $action >out 2>err
	)
	equal "$action without TERM: status" 0 $?
	same "$action without TERM" first out
	TERM=nonsense works $action --width 40 -p 4
	same "$action among other options" first out
done

# Every option: those of the parameters, and the others.
{
	tr '\n' ' ' <"$SRCDIR/src/model/scenario.def" | sed 's/PARAM(/\
&/g' | awk -F '"' '/^PARAM\(.*, *"/ && $6 != "" { print $6 }'
	sed -n 's/^ *{OPTION_[A-Z_]*, [^,]*, "\([a-z-]*\)".*/\1/p' "$SRCDIR/src/app/cli.c"
} >options
holds "there are options" [ "$(grep -c '^[a-z-]*$' options)" -ge 20 ]
works --help
while read -r option; do
	holds "--help lists --$option" grep -q -e "--$option\([ =[]\|\$\)" out
	holds "tests/cli.sh tests --$option" grep -q -e "--$option" "$SRCDIR/tests/cli.sh"
done <options
holds "--help lists at least 20 options" [ "$(grep -c -e '^ .*--[a-z]' out)" -ge 20 ]
holds "lines of --help fit 110 columns" awk 'length > 110 { exit 1 }' out

works --version
equal "--version" "pipegantt $(sed -n 's/^AC_INIT(\[pipegantt\], \[\(.*\)\])/\1/p' \
	"$SRCDIR/configure.ac")" "$(cat out)"

works --keys
equal "--keys: one line for each command" "$(cat "$SRCDIR/src/model/command.def" \
	"$SRCDIR/src/model/build_keys.def" | grep -c -e '^COMMAND(' -e '^BUILD_KEY(')" \
	"$(grep -c '' out)"
holds "--keys: keys, name, what it does" awk -F '\t' \
	'NF != 3 || $1 == "" || $3 == "" || $2 !~ /^[a-z-]+$/ || seen[$2]++ { exit 1 }' out

works --list-schedules
holds "--list-schedules: name, title, constraints, formula, source" awk -F '\t' \
	'NF != 5 { exit 1 } { for (i = 1; i <= 5; i++) if ($i == "") exit 1 }' out
equal "--list-schedules: gpipe and 1f1b" "1f1b gpipe " \
	"$(cut -f 1 out | grep -e '^gpipe$' -e '^1f1b$' | LC_ALL=C sort | tr '\n' ' ')"
# shellcheck disable=SC2013 # a name is one word
for schedule in $(cut -f 1 out); do
	works -s "$schedule" --format summary
	equal "--schedule $schedule" "$schedule" "$(value schedule)"
done

works --list-scenarios
equal "--list-scenarios: all of them in order" \
	"$(cd "$PIPEGANTT_ASSETS/scenarios" && for file in *.ini */*.ini; do echo "${file%.ini}"; done)" \
	"$(cut -f 1 out)"
holds "--list-scenarios: each with its title" awk -F '\t' 'NF != 2 || $2 == "" { exit 1 }' out
for name in papers/ papers/../gpipe papers//gpipe papers/.gpipe /gpipe ./gpipe papers/nothing; do
	refuses 1 "$name" "no installed scenario of that name" "$name"
done
equal "--list-lessons: all of them in order" \
	"$(cd "$PIPEGANTT_ASSETS/lessons" && for file in *.ini; do echo "${file%.ini}"; done)" \
	"$("$PIPEGANTT" --list-lessons | cut -f 1)"
works --lesson # more of it in lessons.sh
PIPEGANTT_ASSETS=$scratch/nowhere works --list-scenarios
equal "--list-scenarios where there are none" "" "$(cat out)"

# ---- options that set a parameter ----

works --format summary
equal "the default" "gpipe 4 8 1 33" \
	"$(value schedule) $(value stages) $(value micro_batches) $(value chunks) $(value makespan)"
member_of "forward of the default" forward 1,1,1,1
member_of "backward of the default" backward 2,2,2,2
member_of "transfer of the default" transfer 0

alike "long and short options" \
	"--schedule 1f1b --stages 3 --micro-batches 5 --chunks 1 --forward 1,2,3 --backward 4 --transfer 0.5" \
	"-s 1f1b -p 3 -m 5 -c 1 -f 1,2,3 -b 4 -t 0.5"
alike "values behind = and stuck to their letter" \
	"--schedule=1f1b --stages=3 --micro-batches=5 --forward=1,2,3" "-s1f1b -p3 -m5 -f1,2,3"
alike "an option may be shortened while it is clear" "--micro 5 --forw 2" "-m 5 -f 2"
alike "the last of two wins" "-p 3 -m 2 -p 5 -m 9" "-p 5 -m 9"
alike "-- ends the options" "-p 3 -- four.ini" "-p 3 four.ini"

for order in "-p 3 -m 5 -f 7,8,9 four.ini" "four.ini -p 3 -m 5 -f 7,8,9" "-f 7,8,9 -m 5 four.ini -p 3" \
	"-f 7,8,9 -p 3 -m 5 four.ini" "-m 5 four.ini -f 7,8,9 -p 3"; do
	alike "order of options: $order" "-p 3 -f 7,8,9 -m 5 four.ini" "$order"
done
alike "order of --hold and --stages" "--hold model -p 8 four.ini" "-p 8 four.ini --hold model"
alike "order of --layers and its options" "--layers 9*1 --split 2,2,2,3 --backward-ratio 4" \
	"--backward-ratio 4 --split 2,2,2,3 --layers 9*1"
alike "order of --schedule and --chunks" "-c 2 -s gpipe -p 2" "-p 2 -s gpipe -c 2"

# `default` is an option that is not there, over a file as well; a text of a file may be that word.
given full.ini '[scenario]' 'title = default' '[pipeline]' 'schedule = interleaved' 'stages = 2' \
	'micro_batches = 6' 'chunks = 3' 'transfer = 0.5' 'group = 6' 'fused = 0.5' 'memory_limit = 9' \
	'hold = model' '[costs]' 'forward = 2' 'backward = 6' 'weight = 1' 'activation = 2' 'weight_activation = 1'
set --
for option in schedule stages micro-batches chunks transfer group fused memory-limit hold forward backward \
	weight activation weight-activation layers split backward-ratio; do
	set -- "$@" "--$option" default
done
works --format ini "$@" full.ini
mv out all
works --format ini
equal "all options default: what no file and no option give" "$(printf '[scenario]\ntitle = default\n\n%s' "$(cat out)")" \
	"$(cat all)"
works --format json "$@" # and of one that is not there nothing is asked
for key in group fused memory_limit transfer chunks activation weight_activation; do
	option=$(printf '%s' "$key" | tr _ -)
	works --format ini "--$option" default full.ini
	mv out without
	grep -v "^$key " full.ini >left.ini
	works --format ini left.ini
	same "--$option default over a file" without out
done
works --format json --layers default layers.ini
mv out unlayered
works --format json
same "--layers default" unlayered out
alike "--layers default goes with costs" "--layers default -f 3 layers.ini" "-f 3"
alike "--forward default ends layers" "-f default layers.ini" "-m 8"
alike "the last of two wins, default too" "-m 3 -m default --group default --group 2" "--group 2"
given all.ini '[pipeline]' 'stages = default' 'memory_limit = default' 'group = default' '[costs]' \
	'weight = default' 'forward = default' '[layers]' 'cost = default' 'split = default'
alike "a file of keys that say default" all.ini "-m 8"
printf '0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n' >two.csv
alike "a table gives P, M and V itself" "-p default -m default -c default two.csv" two.csv
refuses 2 --schedule "not both" -s default two.csv # which is all there is
given tabled.ini '[pipeline]' 'stages = default' 'schedule = file:two.csv' 'micro_batches = default'
alike "and does so in a file" tabled.ini two.csv
alike "-s default leaves a table that a file names" "-s default tabled.ini" "-p 2 -m 2"
refuses 2 --memory-limit "or default is needed" --memory-limit none
refuses 2 --forward "is 'default': a number, more than 0*, is needed" -f 1,default,1,1
refuses 2 --split "no layers" --split uniform --layers default layers.ini

member_of "[stage N] is in the list" forward 1,2,9,4 four.ini
member_of "--forward replaces the list and [stage N]" forward 6,6,6,6 four.ini -f 6
member_of "--forward leaves backward" backward 5,5,5,5 four.ini -f 6
member_of "--backward replaces backward" backward 1,2,3,4.5 four.ini -b 1,2,3,4.5
member_of "--backward leaves forward" forward 1,2,9,4 four.ini -b 1,2,3,4
member_of "more --stages repeat the last costs" forward 1,2,9,4,4,4 four.ini -p 6
member_of "fewer --stages drop costs" forward 1,2 four.ini -p 2
member_of "--hold model keeps the total" forward 0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5 --hold model -p 8
member_of "--hold model with fewer stages" forward 3,13 four.ini --hold model -p 2
member_of "--hold stage over the file" forward 1,1 --hold stage -p 2
member_of "--weight over the default" weight 0.5,0.5 -s zb1p -p 2 -w 0.5
member_of "weight left out is half of backward" weight 1,1 -s zb1p -p 2
refuses 2 --weight "weight of stage 0 is 2: it must be less than its backward, 2" -s zb1p -w 2
refuses 2 --weight "stage 1 is 4.5 (9 over 2 chunks): it must be less than its backward, 1 (2 over 2" \
	-s zbv -p 2 -w 1,9
refuses 2 --weight "stage 3 is 7: it must be less than its backward, 1 (2 over 2 chunks)" \
	-s zbv -p 2 -w 0.5,0.5,0.5,7
refuses 2 --weight "3 values: 1, 2 (one a device) or 4 (one a stage) are needed" -s zbv -p 2 -w 1,1,1
member_of "--fused prices the pairs of an overlapped family" makespan 288 \
	-s 1f1b-overlap -f 10 -b 20 --fused 0.8
member_of "--group is the interleaved group size" makespan 28.5 -s interleaved -c 2 --group 4
refuses 2 --group "G from P = 4 to M = 6 with a last group, L = 2, of at least P; try M=8" \
	-s interleaved -c 2 -p 4 -m 6 --group 4
refuses 2 --micro-batches "M even and at least 2P = 16; try M=16 or P=2" -s dualpipe -p 8 -m 6
refuses 2 --stages "P even, M even and at least 2P = 6; try P=4" -s dualpipe -p 3 -m 12
refuses 2 --stages "try P=4 and M=8" -s dualpipe -p 3 -m 7
refuses 2 --schedule "M even and at least 2P = 6; try P=4" -s dualpipe -m 12 odd.ini
member_of "--memory-limit changes no time" makespan 33 --memory-limit 3
member_of "--activation is what a forward keeps" peak_memory 16 --activation 2
member_of "--weight-activation is what is left for W" stage_peak_memory 4,3.5 \
	-s zb-h1 -p 2 -m 4 --activation 2 --weight-activation 1.5
# --compare has tests of its own, tests/compare.sh
given other.ini '[pipeline]' 'schedule = 1f1b' 'stages = 3'
works --compare --format summary four.ini other.ini
equal "--compare: four values a line" "" "$(awk 'NF != 4' out)"
holds "--families has a row a family" \
	[ "$("$PIPEGANTT" --families --format csv | wc -l)" -eq \
	"$(($("$PIPEGANTT" --list-schedules | wc -l) + 1))" ]
# --advice has tests of its own, tests/advice.sh
works --advice --target 20 -s 1f1b
holds "--target is what M is looked for" grep -q '^micro-batches *M 8 to 13$' out
refuses 2 --format 'csv or json is needed with --families' --families --format summary
refuses 2 --format 'csv or json is needed with --families' --families -o families.ini
equal "--families: weighted, the stash is memory" "stash memory" \
	"$("$PIPEGANTT" --families | awk 'NR == 1 { print $NF }') $("$PIPEGANTT" --families \
		--activation 2 | awk 'NR == 1 { print $NF }')"
# Sweeps have a test of their own, tests/sweep.sh.
holds "--sweep has a row a value and family, of --schedules" \
	[ "$("$PIPEGANTT" --sweep m=1..8 --schedules gpipe,zbv --format csv | wc -l)" -eq 17 ]
holds "--measure is what is drawn" \
	[ "$("$PIPEGANTT" --sweep m=1..8 --measure makespan | head -n 1)" = "makespan over M" ]
member_of "--schedule over the file" schedule '"gpipe"' four.ini -s gpipe
member_of "--micro-batches over the file" micro_batches 2 four.ini -m 2
member_of "--transfer" transfer 0.25 four.ini -t 0.25
member_of "families without chunks ignore them" chunks 1 -c 64
member_of "1e3 is a number" micro_batches 1000 -m 1e3
member_of "1e-1 is a number" transfer 0.1 -t 1e-1
member_of "numbers without a digit before or behind the point" backward 0.5,2,0.5,2 -b .5,2.,.5,2.
member_of "blanks in a list" forward 1,2,3,4 -f ' 1, 2 ,3 , 4'

member_of "layers of a file" forward 3,2,2,4 layers.ini
member_of "backward of layers" backward 9,6,6,12 layers.ini
member_of "--split over the file" forward 2,3,3,3 layers.ini --split balanced
member_of "--split as a list" forward 2,2,2,5 layers.ini --split 3*2,3
member_of "--backward-ratio over the file" backward 1.5,1,1,2 layers.ini --backward-ratio 0.5
member_of "--layers leaves how they are split" forward 2,1,2,3 layers.ini --layers 1,1,1,2,3
member_of "--layers replace costs" forward 2,2,2,2 four.ini --layers 8*1
member_of "--layers with their own backward" backward 2,2,2,7 --layers 3*1/2,1/7
member_of "--forward replaces layers" forward 3,3,3,3 layers.ini -f 3
member_of "--stages splits layers again" forward 5,6 layers.ini -p 2
works --format json layers.ini -f 3
equal "no partition without layers" "" "$(grep -o partition out)"

# ---- what is refused ----

refuse_option() { # OPTION WORDS VALUE...
	option=$1
	words=$2
	shift 2
	for given in "$@"; do
		refuses 2 "$option" "$words" "$option=$given"
	done
}

for option in --stages --micro-batches --chunks; do
	refuse_option $option "whole number" 0 -1 1.5 nan inf 0x10 4x x 1,2 ' ' 1e -0 \
		99999999999999999999 1e400
	refuse_option $option "value is needed" ''
done
refuse_option --stages "4097*4096" 4097
refuse_option --stages "99999999999999999999*4096" 99999999999999999999
refuse_option --micro-batches "1000001*1000000" 1000001
refuse_option --chunks "65*64" 65
for option in --forward --backward; do
	refuse_option $option "more than 0" 0 -1 nan inf -inf infinity 0x10 1x x 1e400 1,0,1,1 \
		1,,1,1 1,1,1,1, , '1;2' '1 2' 1e301
	refuse_option $option "value is needed" ''
	refuse_option $option "1 or 4" 1,2 1,2,3 1,2,3,4,5
done
refuse_option --forward "value 3*'x'" 1,2,x,4
refuse_option --transfer "0 or more" -1 nan inf 0x1 1,5 x 1e400 1e301
refuse_option --transfer "value is needed" ''
refuse_option --schedule "gpipe*1f1b" nonsense GPipe 1f1b2
refuse_option --schedule "value is needed" ''
refuse_option --hold "stage, model or default" x Stage
refuse_option --layers "layer cost" 1,2,3,x 1/ /1 4*-1 0*1 -1*4 1.5*2 4*nan 4*1/inf 4*1/2/3 x*1 '*1' '4*'
refuse_option --layers "3*4" 1,2,3
refuse_option --layers "70000*65536" 70000*1
refuse_option --layers "65537*65536" 65536*1,1
refuse_option --layers "more than 0" 4*0 4*1/0
refuse_option --format "text*summary*json*csv*ini" nonsense JSON ''
refuse_option --color "auto, always, never or few" yes ''
refuse_option --width "20 to 10000" 19 10001 0 -1 x 1.5 nan '' 0x50 99999999999999999999
refuse_option --output "file name" ''
refuse_option --output "ending" plain .json a.pdf a.json/b
refuses 2 --split "layers" --split uniform
refuses 2 --backward-ratio "layers" --backward-ratio 2
for split in x 0 1,1,1,x 1,1,1,0 1,1,1,-1 1,1,1,1.5 '' 4294967296*1 1,1,1,18446744073709551617; do
	refuses 2 --split "" --layers 4*1 --split "$split"
done
refuses 2 --split "3*4" --layers 4*1 --split 1,1,2
refuses 2 --split "5*4" --layers 4*1 --split 1,1,1,2
for ratio in 0 -1 nan x '' 1e301; do
	refuses 2 --backward-ratio "" --layers 4*1 --backward-ratio "$ratio"
done
refuses 2 --layers "--forward" --layers 4*1 -f 1
refuses 2 --layers "--backward" -b 1 --layers 4*1

# 2^24 operations work, one micro-batch more does not.
refuses 2 --micro-batches "16785408*16777216" -p 4096 -m 2049
refuses 2 --micro-batches "8192000000*16777216" -p 4096 -m 1000000
given many.ini '[pipeline]' 'micro_batches = 8193'
refuses 2 --stages "16779264*16777216" many.ini -p 1024
works --format summary -p 1 -m 1000000
works --format summary -p 4096 -m 1

for options in "" "--print" "--families" "--format json" "-o x.txt"; do
	# shellcheck disable=SC2086
	refuses 2 --build "on a terminal" --build $options
done
for option in schedule stages micro-batches chunks forward backward transfer hold layers split \
	backward-ratio format output width color; do
	refuses 2 "--$option" "value is needed" "--$option"
done
refuses 2 --stages "value is needed" -p
refuses 2 --output "value is needed" -p 4 -o
for option in print build ascii no-mouse keys help version list-schedules list-scenarios lesson list-lessons; do
	refuses 2 "--$option" "no value" "--$option=1"
done
refuses 2 --nonsense "--help" --nonsense
refuses 2 --for "ambiguous" --for 1
refuses 2 -x "--help" -x
refuses 2 -x "--help" -hx
refuses 2 --nonsense "--help" --help --nonsense

refuses 1 nowhere.ini "no such file" nowhere.ini
refuses 1 nowhere "--list-scenarios" nowhere
refuses 1 . "directory" .
refuses 1 four.ini/x "" four.ini/x
run ''
equal "an empty file name: status" 1 "$status"
refuses 2 - "by itself" - four.ini
escape=$(printf '\033[31m')
run "$escape.ini"
run --stages "$escape"
run "--$escape"
run -o "nowhere/$escape.json"
run -o "$escape"

# ---- files, standard input, installed scenarios ----

works --format summary gpipe
equal "an installed scenario" 33 "$(value makespan)"
given gpipe '[pipeline]' 'stages = 2'
works --format summary gpipe
equal "a file wins over an installed scenario" 2 "$(value stages)"
rm gpipe
mkdir gpipe
refuses 1 gpipe "directory" gpipe
rmdir gpipe
refuses 1 ../scenarios/gpipe "no such file" ../scenarios/gpipe
PIPEGANTT_ASSETS=$scratch refuses 1 gpipe "no such file" gpipe
mkdir scenarios
cp four.ini scenarios/mine.ini
PIPEGANTT_ASSETS=$scratch works --format summary mine
equal "PIPEGANTT_ASSETS" 6 "$(value micro_batches)"
cp four.ini ./-four.ini
alike "a file with a dash" "-- -four.ini" "four.ini"

works --format json - <four.ini
mv out first
works --format json four.ini
same "standard input" out first
works --format json -m 3 - <four.ini
equal "standard input with options" 3 "$(member micro_batches)"
printf '[pipeline]\nstages = x\n' >bad.ini
refuses 2 -:2 "stages" - <bad.ini
refuses 1 - "Bad file descriptor" - <&-
refuses 1 - "directory" - <.

works --format json four.ini layers.ini gpipe
equal "json: one object a line" 3 "$(grep -c '^{.*}$' out)"
equal "json: nothing else" 3 "$(grep -c '' out)"
works --format json four.ini layers.ini -p 2 -m 3
equal "options are for every file" 2 "$(grep -c '"stages":2,"micro_batches":3' out)"
works --format summary four.ini gpipe
equal "summary of two files" "1f1b gpipe " "$(value schedule | tr '\n' ' ')"
works --format csv four.ini gpipe
equal "csv of two files" 2 "$(grep -c '^device' out)"
works four.ini gpipe --width 60
equal "charts of two files" "1F1B GPipe " "$(sed -n 's/^ *\([^ ]*\) *P=4.*/\1/p' out | tr '\n' ' ')"
works --format json four.ini - <layers.ini
equal "a file and standard input" 2 "$(grep -c '' out)"
refuses 2 bad.ini:2 "stages" --format json four.ini bad.ini
refuses 2 bad.ini:2 "stages" --format json bad.ini four.ini
refuses 1 nowhere.ini "" --format json four.ini nowhere.ini
refuses 2 --forward "2 values" --format json -f 1,2 four.ini

# ---- --output ----

printf '[pipeline]\nstages = 2\n' >two.ini
for format in text:txt summary:summary json:json csv:csv ini:ini; do
	works --format "${format%:*}" --width 100 four.ini
	mv out first
	works -o "o.${format#*:}" four.ini
	same "-o o.${format#*:}: format by extension" first "o.${format#*:}"
	holds "-o leaves standard output empty" [ ! -s out ]
	works -o o.dat --format "${format%:*}" four.ini
	same "--format ${format%:*} -o o.dat" first o.dat
	works --output=/dev/stdout --format "${format%:*}" four.ini
	same "-o /dev/stdout --format ${format%:*}" first out
done
works -o o.json --format csv four.ini
equal "--format wins over the extension" device,stage,micro_batch,kind,start,end "$(head -n 1 o.json)"
works -o o.json four.ini two.ini
equal "-o with several files" 2 "$(grep -c '' o.json)"
works --print -o o.txt two.ini
holds "--print -o writes the file" grep -q P=2 o.txt
"$PIPEGANTT" --format summary -o /dev/stderr 2>err >out
equal "-o /dev/stderr" "schedule gpipe" "$(head -n 1 err)"
(
	exec 3>third
	"$PIPEGANTT" --format summary -o /dev/fd/3 >out 2>err
)
equal "-o /dev/fd/3" "schedule gpipe" "$(head -n 1 third)"
works -o /dev/null --format json
holds "/dev/null is still a device" [ -c /dev/null ]
mkfifo pipe
cat pipe >piped &
works -o pipe --format summary
wait
equal "-o into a named pipe" "schedule gpipe" "$(head -n 1 piped)"
holds "the pipe is still one" [ -p pipe ]
{
	printf 'before\n'
	"$PIPEGANTT" --format summary -o /dev/stdout
	printf 'behind\n'
} >redirected 2>err
equal "-o /dev/stdout goes on where the file is" "before schedule behind" \
	"$(sed -n '1p; 2p; $p' redirected | cut -d ' ' -f 1 | tr '\n' ' ' | sed 's/ $//')"

mkdir folder
ln -s folder/real.json link.json
works -o link.json two.ini
holds "a link that leads nowhere yet is followed" [ -f folder/real.json ]
works -o link.json four.ini
holds "a link is followed and kept" [ -h link.json ]
holds "what it leads to is written" grep -q '"micro_batches":6' folder/real.json
equal "no other file is left" real.json "$(ls -A folder)"
chmod 640 folder/real.json
works -o folder/real.json four.ini
# shellcheck disable=SC2012
equal "the mode of the old file is kept" -rw-r-----, "$(ls -l folder/real.json | sed 's/[. ].*/,/')"
ln -s loop.json loop.json
refuses 1 loop.json "" -o loop.json
refuses 1 folder "directory" -o folder --format json
refuses 1 nowhere/o.json "No such file" -o nowhere/o.json
refuses 1 two.ini/o.json "Not a directory" -o two.ini/o.json

# Whatever goes wrong, the old file stays as it is and nothing is left beside it.
cp folder/real.json old
refuses 2 --stages "" -o folder/real.json -p 0
refuses 2 bad.ini:2 "" -o folder/real.json four.ini bad.ini
refuses 1 nowhere.ini "" -o folder/real.json nowhere.ini
(
	trap '' XFSZ
	ulimit -f 4
	"$PIPEGANTT" -o folder/real.json -m 1000 >limited 2>limited.err
)
equal "a file that cannot grow: status" 1 $?
holds "a file that cannot grow: message" grep -q '^pipegantt: folder/real.json: .*File too large' \
	limited.err
same "the old file is intact" old folder/real.json
equal "no half-written file is left" real.json "$(ls -A folder)"
if [ "$user" -eq 0 ]; then
	echo "skipped as root: folders and files that must not be written"
else
	chmod a-w folder/real.json
	refuses 1 folder/real.json "Permission denied" -o folder/real.json
	chmod u+w folder/real.json
	chmod a-w folder
	refuses 1 folder/real.json "Permission denied" -o folder/real.json
	refuses 1 folder/new.json "Permission denied" -o folder/new.json
	chmod u+w folder
	same "the old file is intact" old folder/real.json
fi

# ---- where standard output leads ----

for options in "-p 64 -m 64 --format csv" "-p 64 -m 64 --format json" "-p 16 --width 200" "--help" \
	"-p 100 -m 200 --format csv" "--keys" "-p 64 -m 64 --format csv -o /dev/stdout"; do
	{
		"$PIPEGANTT" $options 2>err
		echo $? >code
	} | head -c 1 >/dev/null
	holds "a reader that leaves early: no message from $options" [ ! -s err ]
	holds "a reader that leaves early: status of $options" [ "$(cat code)" -le 1 ]
done
if [ -c /dev/full ]; then
	for options in "" "--format json" "--format csv -p 64 -m 64" "--format summary" "--format ini" \
		"--help" "--version" "--keys" "--list-schedules" "--list-scenarios" "--list-lessons" "--lesson"; do
		"$PIPEGANTT" $options >/dev/full 2>err
		equal "a full disk: status of ${options:-no option}" 1 $?
		equal "a full disk: message of ${options:-no option}" 1 \
			"$(grep -c '^pipegantt: standard output: No space left on device$' err)"
	done
	refuses 1 /dev/full "No space left" -o /dev/full
	refuses 1 /dev/full "No space left" -o /dev/full --format json
fi
for options in "" "--format json" "--help"; do
	"$PIPEGANTT" $options >&- 2>err
	equal "closed standard output: status of ${options:-no option}" 1 $?
	holds "closed standard output: message of ${options:-no option}" grep -q '^pipegantt: ' err
done
"$PIPEGANTT" -p 0 2>&-
equal "closed standard error: status" 2 $?
"$PIPEGANTT" four.ini -o closed.json >&- 2>&-
equal "a result needs neither" 0 $?
works four.ini --format json
same "and is the same" out closed.json

# ---- how the chart looks ----

plain() {
	! has_control out
}
coloured() {
	grep -q "$(printf '\033')\\[" out
}
works --print
holds "no colours where standard output is no terminal" plain
mv out first
for options in --print "" "--color auto" "--color=never" "--format text" "--no-mouse" "--width 100"; do
	works $options
	same "the same chart with '$options'" first out
done
works --color always
holds "--color always" coloured
sed "s/$(printf '\033')\\[[0-9;]*m//g" out >stripped
holds "colours are only ever added: SGR and nothing else" [ "$(LC_ALL=C tr -d '\n' <stripped |
	LC_ALL=C grep -c '[[:cntrl:]]')" -eq 0 ]
NO_COLOR=1 works --color always
holds "--color always wins over NO_COLOR" coloured
NO_COLOR=1 works --color few
holds "--color few" coloured
holds "--color few: none of the other 240" [ "$(grep -c '8;5;' out)" -eq 0 ]
NO_COLOR=1 works --color auto
holds "NO_COLOR" plain
works --color always -o coloured.txt
holds "--color always -o" grep -q "$(printf '\033')\\[" coloured.txt
works --color auto -o plain.txt
same "no colours in a file" first plain.txt
(
	unset TERM
	"$PIPEGANTT" --color always >out 2>err
)
holds "--color always without TERM" coloured

given wide.ini '[scenario]' 'title = Größe → 大きさ' 'notes = Übung: ▓▓ ├──┤ “x”' 'time = µs'
for options in "" "-p 16" "-p 40 -m 50" "--color always" "-s 1f1b -t 0.3" "--width 40"; do
	works --ascii $options wide.ini
	holds "--ascii $options has no byte outside ASCII" \
		[ "$(LC_ALL=C grep -c "[$(printf '\200')-$(printf '\377')]" out)" -eq 0 ]
done
works four.ini
holds "without --ascii there are others" [ "$(LC_ALL=C grep -c "[$(printf '\200')-$(printf '\377')]" out)" -gt 0 ]
LC_ALL=C works wide.ini
mv out first
works --ascii wide.ini
same "LC_ALL=C is --ascii" out first

# Bytes that go on a character are taken out, the rest is one a column.
longest() {
	LC_ALL=C tr -d '\200-\277' <out | LC_ALL=C awk 'length > most { most = length } END { print most }'
}
for width in 20 21 30 40 59 60 80 100 132 200 1000 10000; do
	for options in "" "-p 16 -s 1f1b" "--ascii"; do
		works --width $width $options four.ini
		holds "--width $width $options: at most $width columns, not $(longest)" \
			[ "$(longest)" -le $width ]
		holds "--width $width $options: P and M are there" grep -q 'P=[0-9]*  *M=6' out
	done
done
works --width 80
holds "--width 80 uses the width" [ "$(longest)" -ge 76 ]

# A terminal, if there is something that makes one.
terminal() { # COLUMNS OPTIONS
	script -q -c "stty cols $1 rows 30; exec '$PIPEGANTT' --print $2" /dev/null </dev/null >out 2>&1
	LC_ALL=C sed "s/$(printf '\r')//g" out >terminal.out
	mv terminal.out out
}
if command -v script >/dev/null && terminal 70 --format=summary && grep -q '^makespan' out; then
	terminal 70 ''
	holds "colours on a terminal" coloured
	for options in --color=never "--color never"; do
		terminal 70 "$options"
		holds "$options on a terminal" plain
	done
	equal "the width of the terminal" yes "$(test "$(longest)" -le 70 && test "$(longest)" -ge 66 &&
		echo yes)"
	terminal 120 --color=never
	equal "the width of a wide terminal" yes "$(test "$(longest)" -gt 100 && echo yes)"
	terminal 120 '--color=never --width 50'
	equal "--width on a terminal" yes "$(test "$(longest)" -le 50 && echo yes)"
	NO_COLOR=1 terminal 70 ''
	holds "NO_COLOR on a terminal" plain
	NO_COLOR=1 terminal 70 --color=always
	holds "NO_COLOR and --color always on a terminal" coloured
	NO_COLOR='' terminal 70 ''
	holds "an empty NO_COLOR means nothing" coloured
	TERM=dumb terminal 70 ''
	holds "TERM=dumb has no colours" plain
	TERM=dumb terminal 70 --color=always
	holds "TERM=dumb and --color always" coloured
else
	echo "skipped: script(1) makes no terminal here"
fi

# ---- numbers in other locales ----

comma=
for locale in de_DE.UTF-8 fr_FR.UTF-8 es_ES.UTF-8 de_DE $(locale -a 2>/dev/null); do
	if [ "$(LC_ALL=$locale locale decimal_point 2>/dev/null)" = , ]; then
		comma=$locale
		break
	fi
done
if [ -n "$comma" ]; then
	works --format json -f 1.5 -t 0.25
	mv out first
	LC_ALL=$comma works --format json -f 1.5 -t 0.25
	same "numbers have a point in $comma" first out
	LC_ALL=$comma refuses 2 --transfer "1,5" -t 1,5
	LC_ALL=$comma works --format ini -f 1.5
	holds "ini has a point in $comma" grep -q '1\.5' out
else
	echo "skipped: no locale with a decimal comma is installed"
fi
refuses 2 --transfer "1,5" -t 1,5

finish
