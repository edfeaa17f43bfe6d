#!/bin/sh
# Sweeps without a screen: the three forms, what they say at one value against a run at that value,
# gaps, crossovers, the picture in the widths and characters there are, and what is refused.
# lib.sh is not followed; options are split at blanks; awk has dollars of its own.
# shellcheck disable=SC1091,SC2154,SC2086,SC2016
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

# field ROW NAME: of the csv in `out`, its first row being 1.
field() {
	awk -F , -v row="$1" -v name="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		NR == row + 1 { print $at }' out
}

# ---- csv ----

works --sweep m=1..64 --schedules gpipe,1f1b,zbv --format csv
equal "a row for each value and family" 193 "$(wc -l <out | tr -d ' ')"
equal "what the columns are" \
	"parameter,stage,value,schedule,chunks,makespan,bubble_fraction,idle_over_ideal,span_bubble,throughput,utilization,peak_stash,peak_memory,floor,over_limit,reason" \
	"$(head -n 1 out)"
equal "as many fields in each row" 16 "$(awk -F , '{ print NF }' out | sort -u)"
equal "gpipe and 1f1b by the closed form" 128 "$(awk -F , '
	($4 == "gpipe" || $4 == "1f1b") && ($7 - 3 / ($3 + 3)) ^ 2 < 1e-24 && $6 == 3 * ($3 + 3) { n++ }
	END { print n }' out)"

# What a sweep says at a value is what a run says, to the last digit.
for point in "m 7 -m" "p 3 -p" "t 0.3 -t" "f 1.7 -f" "b 2.3 -b"; do
	set -- $point
	for family in 1f1b zb1p interleaved; do
		works --sweep "$1=$2" --schedules $family --format csv -m 8 -c 2
		makespan=$(field 1 makespan) bubble=$(field 1 bubble_fraction)
		works -m 8 -c 2 -s $family $3 $2 --format json
		equal "makespan of $family at $1=$2" "$(member makespan)" "$makespan"
		equal "bubble of $family at $1=$2" "$(member bubble_fraction)" "$bubble"
	done
done
works --sweep v=3 --schedules interleaved --format csv
makespan=$(field 1 makespan)
works -s interleaved -c 3 --format json
equal "makespan at V 3" "$(member makespan)" "$makespan"
works --sweep f=2.5@2 -s 1f1b --format csv
equal "a stage is named" 2 "$(field 1 stage)"
makespan=$(field 1 makespan)
works -s 1f1b -f 1,1,2.5,1 --format json
equal "makespan with a slow stage 2" "$(member makespan)" "$makespan"

# A gap has no figure but a reason.
works --sweep m=7,8 --schedules dualpipev --format csv -p 4
equal "no figure" "" "$(field 1 makespan)$(field 1 over_limit)"
holds "the reason" grep -q '^micro_batches,,7,dualpipev,2,,,,,,,,,,,"dualpipev: needs M at least 2P' out
equal "the next value has its figure" 27 "$(field 2 makespan)"
works --sweep m=8 --memory-limit 3 --format csv
equal "over the limit" true "$(field 1 over_limit)"

works --sweep m=8 --schedules all --format csv
equal "all are all" "$("$PIPEGANTT" --list-schedules | cut -f 1)" "$(awk -F , 'NR > 1 { print $4 }' out)"
works --sweep m=8 --format csv slow-stage-late
equal "costs of a file, its family" "1f1b 45" "$(field 1 schedule) $(field 1 makespan)"

# ---- json ----

works --sweep m=1..16 --schedules zb1p,zbv --format json
equal "lines that are points" 32 "$(grep -c '^{"value"' out)"
holds "the crossover" grep -qF \
	'"crossovers":[{"value":5,"kind":"part","better":"zbv","worse":"zb1p"}]' out
# shellcheck disable=SC2015
if command -v python3 >/dev/null 2>&1; then
	holds "json that others read" python3 -c '
import json
sweep = json.load(open("out"))
assert sweep["parameter"] == "micro_batches" and sweep["stage"] is None
assert sweep["measure"] == "bubble"
for point in sweep["points"]:
    assert ("reason" in point) != ("makespan" in point)
zbv = {p["value"]: p["makespan"] for p in sweep["points"] if p["schedule"] == "zbv"}
assert zbv[8] == 25.5
'
fi
works --sweep m=4,8 --schedules dualpipe --format json
holds "a gap in json" grep -q '^{"value":4,"schedule":"dualpipe","chunks":1,"reason":"dualpipe: needs' out

# ---- text ----

works --sweep m=1..16 --schedules 1f1b,zb1p,zbv --width 72
equal "the heading" "bubble over M" "$(head -n 1 out)"
holds "Braille dots" grep -q '⠤' out
holds "the legend" grep -q '^b zb1p  *66.7% to 5.9%$' out
holds "the crossover in words" grep -q '^x zbv below zb1p from M=5, equal before$' out
works --sweep m=1..16 --schedules 1f1b,zb1p,zbv --width 72 --ascii
equal "ASCII is ASCII" "" "$(LC_ALL=C tr -d '\n -~' <out)"
holds "the picture is no wider than asked for" \
	[ "$(awk '/^[a-z] / { exit } length($0) > n { n = length($0) } END { print n }' out)" -le 72 ]
holds "letters on the curves" grep -q 'c.*b' out
holds "a crossover on the axis" grep -q '^ *+-*.*x' out
works --sweep m=1..16 --measure stash
equal "another measure" "peak stash over M" "$(head -n 1 out)"
works --sweep forward=1..2:0.5@1 --measure makespan
equal "a stage in the heading" "makespan over forward of stage 1" "$(head -n 1 out)"
works --sweep m=1..7 --schedules dualpipev
holds "nothing to be drawn" grep -q 'No family that is shown can do any of these values' out
holds "and why" grep -q '7 of 7 cannot be; M=1: dualpipev: needs M at least 2P' out
works --sweep m=1..8 --color always
holds "in colour" grep -q "$(printf '\033')" out
works --sweep m=1..8 --width 20

# To a file, by its ending.
works --sweep m=1..3 -o x.csv
equal "rows of the file" 4 "$(wc -l <x.csv | tr -d ' ')"

# ---- what is refused ----

refuses 2 --sweep "m (micro-batches), p (stages)" --sweep q=1..3
refuses 2 --sweep "values are needed as" --sweep m=1..
refuses 2 --sweep "whole number from 1 to 1000000" --sweep m=0..3
refuses 2 --sweep "more than 1000 values" --sweep m=1..100000
refuses 2 --sweep "a step or a factor is needed" --sweep t=0..2
refuses 2 --sweep "stages 0 to 3 are" --sweep f=1@4
refuses 2 --sweep "one scenario is swept at a time" --sweep m=1..3 gpipe 1f1b
refuses 2 --schedules "no schedule family has this name" --sweep m=1..3 --schedules 1f1b,x
refuses 2 --schedules "--sweep is needed" --schedules 1f1b
refuses 2 --measure "bubble, makespan, throughput" --sweep m=1..3 --measure speed
refuses 2 --measure "--sweep is needed" --measure stash
refuses 2 --format "text, csv or json" --sweep m=1..3 --format ini
refuses 2 --sweep "--compare cannot go with it" --sweep m=1..3 --compare gpipe.ini 1f1b.ini
refuses 2 --sweep "--families cannot go with it" --sweep m=1..3 --families
refuses 1 no-such-file "no such file" --sweep m=1..3 no-such-file

finish
