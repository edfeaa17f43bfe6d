#!/bin/sh
# Two files against each other, printed: the numbers, that every form says the same, and what is
# refused. With forward 1, backward 2, P = 4 and M = 8 GPipe takes (M+P-1)*3 = 33 and idles 3 of 11
# parts, ZB1P takes 27 (a bubble of 1/9) and ZB-V 25.5.
# lib.sh is not followed; options are split at blanks; awk has dollars of its own.
# shellcheck disable=SC1091,SC2154,SC2086,SC2016
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

given() {
	name=$1
	shift
	printf '%s\n' "$@" >"$name"
}

# near WHAT EXPECTED GOT
near() {
	if awk -v a="$2" -v b="$3" 'BEGIN {
		d = a - b; if (d < 0) d = -d
		exit !(b ~ /^[0-9.e-]+$/ && d <= 1e-12 * (a < 0 ? 1 - a : 1 + a))
	}'; then
		pass
	else
		fail "$@"
	fi
}

# fraction A B
fraction() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.17g", a / b }'
}

# field NAME N: field N of a line of a summary in out.
field() {
	awk -v name="$1" -v n="$2" '$1 == name { print $(n + 1) }' out
}

given gpipe.ini '[pipeline]' 'schedule = gpipe'
given 1f1b.ini '[pipeline]' 'schedule = 1f1b'
given zb1p.ini '[pipeline]' 'schedule = zb1p'
given zbv.ini '[scenario]' 'title = Zero bubble' '[pipeline]' 'schedule = zbv'
given deep.ini '[scenario]' 'time = ms' '[pipeline]' 'schedule = 1f1b' 'stages = 8' \
	'micro_batches = 64'
given us.ini '[scenario]' 'time = us' '[pipeline]' 'schedule = 1f1b' 'stages = 8' \
	'micro_batches = 64' '[costs]' 'forward = 1000' 'backward = 2000'
given wrong.ini '[pipeline]' 'stages = 0'

# ---- values ----

# A, B, makespan of each, idle time in all of each, peak stash of each
while IFS='|' read -r options a b makespan_a makespan_b idle_a idle_b stash_a stash_b; do
	works --compare --format summary $options $a $b
	equal "makespan of A, $a" "$makespan_a" "$(field makespan 1)"
	equal "makespan of B, $b" "$makespan_b" "$(field makespan 2)"
	near "makespan, difference" \
		"$(awk -v a="$makespan_a" -v b="$makespan_b" 'BEGIN { printf "%.17g", b - a }')" \
		"$(field makespan 3)"
	near "idle of A, $a" "$idle_a" "$(field idle 1)"
	near "idle of B, $b" "$idle_b" "$(field idle 2)"
	equal "stash of A, $a" "$stash_a" "$(field peak_stash 1)"
	equal "stash of B, $b" "$stash_b" "$(field peak_stash 2)"
	near "stash, difference" "$((stash_b - stash_a))" "$(field peak_stash 3)"
	for n in 1 2; do
		near "causes of $options $a $b add up, side $n" "$(field idle $n)" \
			"$(awk -v n=$n '/^idle_(transfer|schedule|imbalance) / { sum += $(n + 1) }
				END { printf "%.17g", sum }' out)"
		near "places of $options $a $b add up, side $n" "$(field idle $n)" \
			"$(awk -v n=$n '/^idle_(fill|inside|drain) / { sum += $(n + 1) }
				END { printf "%.17g", sum }' out)"
	done
done <<'EOF'
|gpipe.ini|1f1b.ini|33|33|36|36|8|4
|gpipe.ini|zb1p.ini|33|27|36|12|8|4
|gpipe.ini|zbv.ini|33|25.5|36|6|8|4
|1f1b.ini|gpipe.ini|33|33|36|36|4|8
|1f1b.ini|deep.ini|33|213|36|168|4|8
-t 0.5|gpipe.ini|1f1b.ini|36|41|48|68|8|4
-m 1|gpipe.ini|1f1b.ini|12|12|36|36|1|1
-p 8 -m 64|gpipe.ini|1f1b.ini|213|213|168|168|64|8
EOF
works --compare --format summary gpipe.ini zb1p.ini
near "bubble of A" "$(fraction 3 11)" "$(field bubble_fraction 1)"
near "bubble of B" "$(fraction 1 9)" "$(field bubble_fraction 2)"
near "bubble, difference" "$(fraction -16 99)" "$(field bubble_fraction 3)"
equal "four fields a line" "" "$(awk 'NF != 4' out)"
works --compare --format summary -t 0.5 gpipe.ini 1f1b.ini
near "GPipe's idle by transfer: 3 a device" 12 "$(field idle_transfer 1)"
near "1F1B's idle by transfer: 8 a device" 32 "$(field idle_transfer 2)"

# 213 ms and 213 000 us are the same step
works --compare --format summary us.ini deep.ini
near "A in B's unit" 213 "$(field makespan 1)"
near "no difference" 0 "$(field makespan 3)"
near "no difference of throughput" 0 "$(field throughput 3)"
near "no difference of the bubble" 0 "$(field bubble_fraction 3)"

# ---- every form says the same ----

works --compare --format summary gpipe.ini zbv.ini
tr ' ' , <out >summary
works --compare --format csv gpipe.ini zbv.ini
equal "header of csv" "metric,a,b,difference" "$(head -n 1 out)"
tail -n +2 out >csv
same "csv is the summary" summary csv
works --compare --format json gpipe.ini zbv.ini
equal "one line of json" 1 "$(grep -c '' out)"
mv out json
works --format json gpipe.ini
printf '{"a":%s,"b":' "$(cat out)" >expected
works --format json zbv.ini
printf '%s,"difference":{%s}}\n' "$(cat out)" \
	"$(awk -F , '{ printf "%s\"%s\":%s", (NR > 1 ? "," : ""), $1, $4 }' summary)" >>expected
same "json holds the json of both and the differences" expected json
works --compare -o out.json gpipe.ini zbv.ini
same "-o writes the same" json out.json
works --compare -o out.csv gpipe.ini zbv.ini
tail -n +2 out.csv >csv
same "-o by extension" summary csv

# ---- the text ----

works --compare --width 80 gpipe.ini zb1p.ini
holds "a line over A" grep -q '^ A  GPipe  P=4  M=8  makespan=33  bubble=27.3%  peak stash=8' out
holds "a line over B" grep -q '^ B  ZB1P  P=4  M=8' out
holds "the makespans" grep -Eq '^ makespan +33 +27 +-6 better$' out
holds "the bubbles" grep -Eq '^ bubble +27.3% +11.1% +-16.2% better$' out
holds "idle by device and cause" grep -Eq '^ +3 9 +0 +9 +0 +3 +0 +3 +0$' out
equal "one ruler" 1 "$(grep -c '│0──' out)"
equal "no line is longer than 80" "" "$(awk 'length($0) > 80 * 3' out)"
# One axis, a column or more a unit: on stage 3 both begin at 3, behind as much idle time.
sed -n 's/^ stage 3 \(·*\)0.*/\1/p' out >starts
equal "both stages 3 begin" 2 "$(grep -c '··' starts)"
equal "and in the same column" 1 "$(sort -u starts | grep -c '')"
works --compare --ascii gpipe.ini zb1p.ini
equal "--ascii: no other byte" "" "$(LC_ALL=C tr -d '\n -~' <out)"
works --compare gpipe.ini 1f1b.ini --color always
holds "--color always: colours" grep -q "$(printf '\033')" out
works --compare deep.ini us.ini
holds "units are said" grep -q 'ms told in us' out
works --compare --print gpipe.ini deep.ini
equal "lanes of both" 12 "$(grep -c '%$' out)"

# ---- what a side may be ----

works --compare --format summary slow-stage-early slow-stage-late
equal "installed names: A" 40.5 "$(field makespan 1)"
equal "installed names: B" 45 "$(field makespan 2)"
works --format pytorch gpipe.ini
mv out table.csv
works --compare --format summary table.csv 1f1b.ini
equal "a table: A" 33 "$(field makespan 1)"
equal "a table: its stash" 8 "$(field peak_stash 1)"
"$PIPEGANTT" --compare --format summary - zb1p.ini <gpipe.ini >out 2>err
equal "standard input: A" 33 "$(field makespan 1)"
works --compare --format summary gpipe.ini gpipe.ini
equal "a file and itself: no difference" "" "$(awk '$4 != 0' out)"

# ---- what is refused ----

for files in '' gpipe.ini 'gpipe.ini 1f1b.ini zbv.ini'; do
	# shellcheck disable=SC2046
	set -- $files
	refuses 2 --compare "$#; exactly two are needed" --compare $files
	refuses 2 --compare "$#; exactly two are needed" --compare --format json $files
done
refuses 2 --compare 'read once' --compare - -
refuses 2 --compare '--families' --compare --families gpipe.ini 1f1b.ini
for format in ini pytorch; do
	refuses 2 --format "'$format'*text, summary, json or csv" --compare --format $format \
		gpipe.ini 1f1b.ini
done
refuses 2 --format "'ini'*text, summary, json or csv" --compare -o x.ini gpipe.ini 1f1b.ini
holds "nothing was written" [ ! -e x.ini ]
for format in text summary json csv; do
	refuses 1 none.ini 'no such file' --compare --format $format gpipe.ini none.ini
	refuses 1 none.ini 'no such file' --compare --format $format none.ini gpipe.ini
	refuses 2 wrong.ini:2 'at least 1' --compare --format $format gpipe.ini wrong.ini
done
refuses 2 --stages "0" --compare -p 0 gpipe.ini 1f1b.ini
refuses 1 no/where.csv 'cannot be written' --compare -o no/where.csv gpipe.ini 1f1b.ini
works --compare --version
holds "--version needs no files" grep -q '^pipegantt ' out
works --compare -- gpipe.ini 1f1b.ini

finish
