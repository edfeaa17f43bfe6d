#!/bin/sh
# Scenario files, above all the bad ones: each gives the right result or a message at the right line,
# and nothing of a file ever gets to the terminal that the terminal could obey.
# lib.sh is not followed; FORMATs are formats; lists are made of words.
# shellcheck disable=SC1091,SC2154,SC2059,SC2046,SC2086
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

# given FORMAT [ARG...]: the file in.ini, by printf.
given() {
	printf "$@" >in.ini
}

# bad LINE WORDS FORMAT [ARG...]: such a file is refused at that line.
bad() {
	line=$1
	words=$2
	shift 2
	given "$@"
	refuses 2 "in.ini:$line" "$words" --format json in.ini
	[ "$failed" -eq "$failures" ] || cat -v in.ini | head -n 8
	failures=$failed
}
failures=0

# good FORMAT [ARG...]: such a file works.
good() {
	given "$@"
	works --format json in.ini
}

# is MEMBER VALUE: what the json says of it.
is() {
	equal "$1 of $(head -n 5 in.ini | cut -c 1-60 | tr '\n' '~')" "$2" "$(member "$1")"
}

# default FORMAT [ARG...]: such a file is the default scenario.
works --format json
mv out default.json
default() {
	good "$@"
	same "the default from $(head -n 3 in.ini | cut -c 1-60 | tr '\n' '~')" default.json out
}

# many COUNT FORMAT: the format COUNT times, each with its number from 1.
many() {
	awk -v count="$1" -v format="$2" 'BEGIN { for (i = 1; i <= count; i++) printf format, i }'
}

# ---- what is hardly a scenario ----

default ''
default '\n'
default '\n\n   \n\t\n'
default '; nothing\n# but\n   ; comments\n\t# of all kinds'
default '\r\n\r\n'
default '\357\273\277'
default '\357\273\277; a comment behind a byte order mark\n'
default '[scenario]\n[pipeline]\n[costs]\n'
default '[pipeline]\nstages=4\nschedule = gpipe\n[costs]\nforward=1\n'

mkdir in.folder
refuses 1 in.folder "directory" in.folder
refuses 1 in.folder/ "directory" in.folder/
refuses 1 no/such "" no/such
if [ "$(id -u)" -eq 0 ]; then
	echo "skipped as root: files that must not be read"
else
	given '[pipeline]\n'
	chmod 0 in.ini
	refuses 1 in.ini "Permission denied" in.ini
	rm -f in.ini
fi
ln -s endless endless
refuses 1 endless "" endless
if [ -c /dev/zero ]; then
	refuses 2 /dev/zero "16 MiB" /dev/zero
fi
default '' </dev/null
works --format json /dev/null
same "/dev/null" default.json out

# ---- bytes ----

bad 2 "NUL" '[pipeline]\nstages = 4\000\nmicro_batches = x\n'
bad 1 "NUL" '\000'
bad 3 "NUL" '[pipeline]\nstages = 4\n; a comment\000\n'
bad 4 "NUL" '[pipeline]\nstages = 4\n\n\000'
bad 2 "NUL" '[pipeline]\n[costs\000]\n'
bad 1 "" '\377\376[\000p\000i\000p\000e\000l\000i\000n\000e\000]\000\n\000'
bad 1 "" '\376\377\000[\000p\000]\000\n'
bad 1 "" '[pipeline]\rstages = 5\r'
bad 1 "" '; old Macs\r[pipeline]\rstages = 5\r'
bad 1 "" '\177ELF\002\001\001\n'

good '[pipeline]\nstages = 3'
is stages 3
good '[pipeline]\r\nstages = 3\r\n\r\n; a comment\r\n[costs]\r\nforward = 1,\r\n  2,\r\n  3\r\n'
is stages 3
is forward 1,2,3
good '\357\273\277[pipeline]\r\nstages = 3'
is stages 3
good '[pipeline]\nstages = 3\r\nmicro_batches = 7'
is micro_batches 7
good '  [pipeline]  \n  stages\t=\t3  \n\n\nmicro_batches=7 ; so few\n'
is stages 3
is micro_batches 7
bad 3 "stages" '[pipeline]\r\n\r\nstages = x\r\n'
bad 2 "stages" '\357\273\277[pipeline]\nstages = x'
bad 2 "" '[pipeline]\n\357\273\277stages = 4\n'
good '[costs]\nforward = 3 ; not 4\nbackward = 1 ;\n'
is forward 3,3,3,3
is backward 1,1,1,1

# ---- sizes ----

# A file of 16 MiB is the largest, and a line of 64 KiB.
comments() { # BYTES
	yes '; sixteen bytes.' | tr -d '\n' | tr . '\n' | head -c "$1"
}
comments 16777196 >in.ini
printf '\n[pipeline]\nstages=5' >>in.ini
works --format summary in.ini
equal "a file of nearly 16 MiB" 5 "$(value stages)"
comments 16777217 >in.ini
refuses 2 in.ini "16 MiB" in.ini
comments 17825792 >in.ini
refuses 2 in.ini "16 MiB" in.ini
works --format summary -p 3
refuses 2 - "16 MiB" - <in.ini

padded() { # BYTES of the line forward = 7
	printf '[costs]\nforward ='
	head -c $(($1 - 10)) /dev/zero | tr '\0' ' '
	printf '7\nbackward = %s\n' "$2"
}
for size in 100 185 188 189 190 191 195 198 199 200 201 380 400 4096 65535 65536; do
	padded $size 9 >in.ini
	works --format json in.ini
	is forward 7,7,7,7
	is backward 9,9,9,9
	padded $size x >in.ini
	refuses 2 in.ini:3 "backward" in.ini
done
padded 65537 9 >in.ini
refuses 2 in.ini:2 "64 KiB" in.ini
padded 1048576 9 >in.ini
refuses 2 in.ini:2 "64 KiB" in.ini
{
	printf '; '
	head -c 1048576 /dev/zero | tr '\0' x
	printf '\n[pipeline]\n'
} >in.ini
refuses 2 in.ini:1 "64 KiB" in.ini
head -c 1048576 /dev/zero >in.ini
refuses 2 in.ini:1 "" in.ini
head -c 1048576 /dev/zero | tr '\0' '[' >in.ini
refuses 2 in.ini:1 "" in.ini

# Long comments with whatever in them are comments.
for size in 150 199 200 201 250 400 3000; do
	good '[pipeline]\n; %s forward = 5, stages = 9 [costs] %s\nstages = 3\n' \
		"$(many $size x)" "$(many $size 'a=1 ')"
	is stages 3
	good '[pipeline]\nstages = 3 ; %s stages = 9\n' "$(many $size x)"
	is stages 3
	bad 3 "micro_batches" '[pipeline]\n; %s\nmicro_batches = x' "$(many $size 'x = 1, ')"
done

# Lists of any length, on one line or many.
for count in 64 128 256 1000; do
	list=$(many $((count - 1)) '%d.125, ')$count
	given '[pipeline]\nstages = %d\nmicro_batches = 1\n[costs]\nforward = %s\nbackward = 1\n' \
		$count "$list"
	works --format json in.ini
	is forward "$(many $((count - 1)) '%d.125,')$count"
	bad 6 "backward" '[pipeline]\nstages = %d\n[costs]\n\nforward = %s\nbackward = oops\n' \
		$count "$list"
	bad 5 "value $count" '[pipeline]\nstages = %d\n[costs]\n\nforward = %soops\n' \
		$count "$(many $((count - 1)) '%d.125,')"
	bad 4 "$count" '[pipeline]\nstages = 4\n[costs]\nforward = %s\n' "$list"
	good '[pipeline]\nstages = %d\nmicro_batches = 1\n[costs]\nforward =\n%s' \
		$count "$(many $count '    %d.5,\n' | sed '$s/,$//')"
	is forward "$(many $((count - 1)) '%d.5,')$count.5"
	bad $((count + 4)) "value $count" '[pipeline]\nstages = %d\n[costs]\nforward =\n%s\n    oops\n' \
		$count "$(many $((count - 1)) '    %d.5,\n')"
	bad $((count + 5)) "backward" '[pipeline]\nstages = %d\n[costs]\nforward =\n%s\nbackward = oops\n' \
		$count "$(many $count '    %d.5,\n' | sed '$s/,$//')"
done
given '[pipeline]\nstages = 4096\nmicro_batches = 2\n[costs]\nforward = %s\nbackward = %s\n' \
	"$(many 4095 '%d,')4096" "$(many 4095 '%d.25, ')4096"
works --format json in.ini
is forward "$(many 4095 '%d,')4096"
is backward "$(many 4095 '%d.25,')4096"
good '[pipeline]\nstages = 4096\nmicro_batches = 1\n%s' "$(many 4095 '[stage %d]\nforward = 2.5\n')"
is forward "1$(many 4095 ',2.5')"
bad 2 "65537*65536" '[layers]\ncost = 65536*1, 1\n'
bad 2 "65536" '[layers]\ncost = 18446744073709551615*1, 18446744073709551615*1\n'
good '[layers]\ncost = 65535*1,\n    1\n'
is forward 16384,16384,16384,16384

# Deep continuations and many lines.
good '[scenario]\nnotes = a\n%s[pipeline]\nstages = 3\n' "$(many 20000 '    line %d = [not] a key\n')
"
is stages 3
bad 20003 "stages" '[scenario]\nnotes = a\n%s\n[pipeline]\nstages = x\n' \
	"$(many 19999 '    line %d, = [not] a key\n')"
good '[costs]\nforward = 1,\n\n\n   ; a comment\n    2,\n# another\n  3 ; and one behind\n\t4\n'
is forward 1,2,3,4
bad 8 "value 3" '[costs]\nforward = 1,\n\n\n   ; a comment\n    2,\n# another\n  x ; and one behind\n\t4\n'

# ---- sections and keys ----

bad 3 "stages*line 2" '[pipeline]\nstages = 4\nstages = 4\n'
bad 5 "stages*line 2" '[pipeline]\nstages = 4\n\n; a comment\nstages = 5\n'
bad 4 "forward*line 2" '[costs]\nforward = 1\nbackward = 2\nforward = 1\n'
bad 3 "pipeline*line 1" '[pipeline]\n[costs]\n[pipeline]\n'
bad 3 "stage 1*line 1" '[stage 1]\nforward = 1\n[stage 1]\nbackward = 1\n'
bad 3 "line 1" '[stage 1]\nforward = 1\n[stage 01]\nbackward = 1\n'
bad 3 "forward*line 2" '[stage 1]\nforward = 1\nforward = 1\n'
bad 1 "nonsense" '[nonsense]\n'
bad 1 "Pipeline" '[Pipeline]\n'
bad 1 "" '[]\n'
bad 2 "" '\n[stages 1]\n'
bad 1 "" '[stage]\n'
for stage in -1 x 1x 1.0 0x1 ' ' '1 2' 1,2 99999999999999999999 4294967296; do
	bad 1 "" '[stage %s]\n' "$stage"
done
bad 1 "']'" '[pipeline\nstages = 4\n'
bad 1 "" '[pipeline] stages = 4\n'
good '[pipeline] ; a comment\nstages = 3\n'
is stages 3
bad 2 "nonsense" '[pipeline]\nnonsense = 4\n'
bad 2 "Stages" '[pipeline]\nStages = 4\n'
bad 2 "forward" '[pipeline]\nforward = 4\n'
bad 2 "stages*pipeline" '[costs]\nstages = 4\n'
bad 2 "cost" '[stage 1]\ncost = 4\n'
bad 1 "section" 'stages = 4\n[pipeline]\n'
bad 1 "" 'nonsense\n'
bad 2 "" '[pipeline]\nnonsense\n'
bad 2 "" '[pipeline]\nstages\n'
bad 2 "" '[pipeline]\n= 4\n'
bad 2 "" '[pipeline]\n=\n'
bad 3 "" '[pipeline]\nstages = 4\n    micro_batches = 4\n'
bad 3 "" '[pipeline]\nstages = 4\n    [costs]\n'
bad 3 "" '[costs]\nforward = 1\n    backward = 1\n'
bad 3 "" '[costs]\nforward = 1\n    [layers]\n'
bad 3 "" '[scenario]\ntitle = a\n    title that goes on\n'
bad 4 "" '[pipeline]\nstages = 4\n\n    5\n'
long=$(many 60 x)
bad 1 "" '[pipeline%s]\n' "$long"
bad 2 "" '[pipeline]\nstages%s = 4\n' "$long"
bad 2 "" '[pipeline]\n%s = 4\n' "$(many 3000 'stages')"
good '[costs]\nbackward = 1\n[pipeline]\nmicro_batches = 2\n[scenario]\ntitle = in any order\n'
is backward 1,1,1,1
is micro_batches 2

bad 2 "stage 9" '[pipeline]\n[stage 9]\nforward = 2\n'
bad 1 "stage 4" '[stage 4]\nforward = 2\n[pipeline]\nstages = 4\n'
bad 4 "stage 4" '[pipeline]\nstages = 4\n\n[stage 4]\n'
bad 1 "stage 9" '[stage 9]\n[stage 5]\n[stage 7]\n'
good '[stage 4]\nforward = 2\n[pipeline]\nstages = 5\n'
is forward 1,1,1,1,2
good '[stage 2]\nforward = 2.5\n[costs]\nforward = 1\nbackward = 4,5,6,7\n[stage 0]\nbackward = 1\n'
is forward 1,1,2.5,1
is backward 1,5,6,7
bad 2 "2 values" '[stage 2]\nforward = 1,2\n'
bad 2 "forward" '[stage 2]\nforward = x\n'

clash="layers*"
bad 4 "$clash*line 1" '[layers]\ncost = 4*1\n[costs]\nforward = 1\n'
bad 4 "$clash*line 1" '[layers]\ncost = 4*1\n[costs]\nbackward = 1\n'
bad 3 "$clash*line 1" '[layers]\ncost = 4*1\n[stage 1]\nforward = 1\n'
bad 4 "$clash*line 2" '[costs]\nforward = 1\n\n[layers]\ncost = 4*1\n'
bad 4 "$clash*line 2" '[costs]\nbackward = 1\n\n[layers]\ncost = 4*1\n'
bad 3 "$clash*line 1" '[stage 1]\nforward = 1\n[layers]\ncost = 4*1\n'
good '[costs]\n[layers]\ncost = 4*1\n'
is forward 1,1,1,1
# Keys that would do nothing are not silently ignored.
bad 2 "cost" '[layers]\nsplit = uniform\n'
bad 3 "cost" '\n[layers]\nbackward_ratio = 3\n'

# ---- values ----

for key in stages micro_batches chunks; do
	for value in 0 -1 4.5 nan inf 0x10 4x x 1,2 '4 5' '"4"' 99999999999999999999 1e400 ''; do
		bad 3 "$key" '\n[pipeline]\n%s = %s\n' $key "$value"
	done
done
bad 2 "4097*4096" '[pipeline]\nstages = 4097\n'
bad 2 "1000001*1000000" '[pipeline]\nmicro_batches = 1000001\n'
bad 2 "65*64" '[pipeline]\nchunks = 65\n'
bad 3 "8192000000*16777216" '[pipeline]\nstages = 4096\nmicro_batches = 1000000\n'
bad 3 "8192000000*16777216" '[pipeline]\nmicro_batches = 1000000\nstages = 4096\n'
for key in forward backward; do
	for value in 0 -1 nan inf -inf 0x10 1x x '1;2' '1 2' '"1"' 1e400 '' ',' 1,,1,1 '1,1,1,1,' 1,0,1,1 1:2; do
		bad 3 "$key" '[costs]\n\n%s = %s\n' $key "$value"
	done
	for value in 1,2 1,2,3 1,2,3,4,5 1,2,3,4,5,6,7,8; do
		bad 3 "$key*values" '[costs]\n\n%s = %s\n' $key $value
	done
	bad 4 "$key*5 values" '[pipeline]\nstages = 4\n[costs]\n%s = 1,\n  2, 3,\n  4, 5\n' $key
	bad 2 "$key" '[stage 1]\n%s = nan\n' $key
	bad 2 "$key" '[stage 1]\n%s =\n' $key
done
for value in -1 nan inf 0x1 x 1,5 '' 1e301; do
	bad 2 "transfer" '[pipeline]\ntransfer = %s\n' "$value"
done
bad 2 "schedule" '[pipeline]\nschedule = nonsense\n'
bad 2 "schedule" '[pipeline]\nschedule = GPipe\n'
bad 2 "schedule" '[pipeline]\nschedule =\n'
bad 2 "stage, model or default" '[pipeline]\nhold = x\n'
for value in '' x ',' 1,2,3,x 1/ /1 4*-1 0*1 -1*4 1.5*2 4*nan 4*1/inf 4*1/2/3 '*1' '4*' '1,2,3,'; do
	bad 2 "" '[layers]\ncost = %s\n' "$value"
done
bad 3 "value 4" '[layers]\ncost = 1, 2,\n    3, x\n'
bad 2 "3*4" '[layers]\ncost = 3*1\n'
bad 2 "more than 0" '[layers]\ncost = 4*0\n'
bad 3 "3*4" '[layers]\ncost = 4*1\nsplit = 1, 1, 2\n'
bad 3 "5*4" '[layers]\ncost = 4*1\nsplit = 1, 1, 1, 2\n'
for value in '' x 0 -1 1,1,1,0 1,1,1,x 1,1,1,1.5 4294967296*1 Balanced; do
	bad 3 "split" '[layers]\ncost = 4*1\nsplit = %s\n' "$value"
done
for value in '' x 0 -1 nan inf 1,5; do
	bad 3 "backward_ratio" '[layers]\ncost = 4*1\nbackward_ratio = %s\n' "$value"
done
good '[pipeline]\nmicro_batches = 1e3\ntransfer = 1e-3\n[costs]\nforward = 1E2, +3, .5, 5.\n'
is micro_batches 1000
is transfer 0.001
is forward 100,3,0.5,5
good '[costs]\nforward: 3\n'
is forward 3,3,3,3
good '[layers]\ncost = 8*1, 3 / 5\nsplit = 2, 2, 2, 3\n'
is forward 2,2,2,5
is backward 4,4,4,9

# ---- text ----

# shown WHAT: whatever is printed of in.ini has nothing a terminal could obey and is valid UTF-8.
shown() {
	for options in --format=ini --format=text "--format=text --ascii" --format=json --format=summary \
		--format=csv "--width 200" "--width 30"; do
		run $options in.ini
		if has_control out; then
			fail "$1: $options prints nothing a terminal could obey" "" "$(head -n 12 out)"
		elif command -v iconv >/dev/null && ! iconv -f UTF-8 -t UTF-8 <out >/dev/null 2>&1; then
			fail "$1: $options prints valid UTF-8" "" "$(head -n 12 out)"
		else
			pass
		fi
	done
	run --list-scenarios
	if has_control err; then
		fail "$1: --list-scenarios" "" "$(cat out)"
	fi
}
given '[scenario]\ntitle = \033[31mred\033]0;title\007 \233[5m \302\233[5m\b\b\177 end\n'
shown "an escape sequence in the title"
works --format ini in.ini
holds "the rest of the title is there" grep -q '^title = .*red.*title.* end$' out
holds "what is taken out leaves a mark" grep -q '�' out
works --width 150 in.ini
holds "the chart shows the title" grep -q 'red' out
given '[scenario]\nnotes = a\033[2Jb\n   c\rd\n    e\tf\n   \033c\ntime = \033[1m\n'
shown "escape sequences in notes and time"
given '[scenario]\ntitle = caf\351 \377\376 \300\200 \355\240\200 \364\220\200\200 \342\202\n'
shown "invalid UTF-8"
works --format ini in.ini
mv out again.ini
works --format ini again.ini
same "invalid UTF-8, made printable, stays as it is" again.ini out
given '[scenario]\ntitle = \342\200\256gro.live \342\200\213\342\201\246 \357\273\277\n'
shown "marks that turn text around"
given '[scenario]\ntitle = %s\nnotes = %s\n' "$(many 2000 x)" "$(many 2000 'y ')"
shown "a long title"
given '[scenario]\ntitle = Größe → 大きさ 🚀 e\314\201\n'
shown "a title in other scripts"
works --format ini in.ini
holds "which is left alone" grep -q '^title = Größe → 大きさ 🚀 e'"$(printf '\314\201')\$" out

bad 2 "" '[pipeline]\nstages = \033[31m4\n'
bad 1 "" '[\033[31mpipeline]\n'
bad 2 "" '[pipeline]\n\033[31mstages = 4\n'
bad 2 "" '[pipeline]\n\377\376\n'
bad 2 "" '[pipeline]\nschedule = \033]0;x\007\n'
bad 2 "" '[costs]\nforward = 1,\033[5m,3,4\n'
bad 3 "" '[scenario]\ntitle = a\n  \033[5m\n'
bad 2 "" '[layers]\ncost = \302\233\n'
bad 2 "" '[pipeline]\nstages = %s\n' "$(many 3000 '\303\251')"
name=$(printf 'in \033[31m \377.ini')
printf '[pipeline]\nstages = x\n' >"$name"
run "$name"
equal "a file with an escape sequence in its name: status" 2 "$status"
holds "and its line" grep -q '^pipegantt: in .*\.ini:2: ' err
name=$(many 240 x).ini
printf '[pipeline]\nstages = x\n' >"$name"
run "$name"
holds "a file with a long name has its line" grep -q '^pipegantt: .*\.ini:2: ' err
mkdir -p "$(many 50 'deep/')"
cp "$name" "$(many 50 'deep/')in.ini"
run "$(many 50 'deep/')in.ini"
holds "and so has one with a long path" grep -q '^pipegantt: .*in\.ini:2: ' err

good '[scenario]\ntitle =\nnotes =\ntime =\n'
same "empty texts" default.json out
given '[scenario]\ntitle = a;b # c ; d\nnotes = first\n\n  second ; comment\n     # third\n  fourth = [x\ntime = ms\n'
works --format ini in.ini
equal "comments in texts" "title = a;b # c|notes = first||    second|    fourth = [x|time  = ms|" \
	"$(sed -n '2,/^time/p' out | tr '\n' '|')"

# ---- whatever else ----

# No piece of a scenario, cut off anywhere, is more than an error.
printf '[scenario]\ntitle = A\nnotes = b\n  c\n[pipeline]\nstages = 3\n[costs]\nforward = 1, 2,\n   3\n[stage 1]\nbackward = 3 ; x\n' >whole.ini
size=$(wc -c <whole.ini)
at=0
while [ $at -lt $size ]; do
	head -c $at whole.ini >in.ini
	run --format summary in.ini
	at=$((at + 3))
done
# Nor are other files.
for file in "$PIPEGANTT" "$SRCDIR/tests/input.sh" "$SRCDIR/LICENSE" "$SRCDIR/configure.ac" default.json; do
	if [ -r "$file" ]; then
		head -c 2000000 "$file" >in.ini
		run in.ini
		equal "$(basename "$file") as a scenario" 2 "$status"
		holds "and the line of the error" grep -q '^pipegantt: in\.ini:[0-9]*: ' err
	fi
done
printf '[pipeline]\nstages = 2\n' >in.ini
works --format json - <in.ini
is stages 2

finish
