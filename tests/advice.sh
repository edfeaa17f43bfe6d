#!/bin/sh
# Advice without a screen: known numbers in all three forms, what it promises against a run of it, and
# what is refused.
# lib.sh is not followed; options are split at blanks; awk has dollars of its own.
# shellcheck disable=SC1091,SC2154,SC2086,SC2016
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

# field ADVICE COLUMN: of the csv in `out`. What is in quotes has no column here that is asked for.
field() {
	sed 's/"[^"]*"/-/g' out | awk -F , -v advice="$1" -v name="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		$1 == advice { print $at }'
}

# slope WHAT COLUMN: of a row of the sensitivities.
slope() {
	awk -F , -v what="\"$1\"" -v name="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		$1 == "sensitivity" && $2 == what { print $at }' out
}

# makespan OPTION...
makespan() {
	"$PIPEGANTT" --format summary "$@" | sed -n 's/^makespan[ =]//p'
}

# ---- known numbers ----

works --advice
holds "gpipe needs 28" grep -q '^micro-batches *M 8 to 28$' out
holds "and 27 is not enough" grep -q 'least M with a bubble under 10%: it has 9\.7%, 27 at least 10%' out
holds "zbv is best" grep -q '^family *GPipe to ZB-V$' out
holds "by how much" grep -q 'makespan 33 to 25\.5 (-22\.7%), stash 8 to 4' out
works --advice --target 5 -s 1f1b
holds "another target" grep -q '^micro-batches *M 8 to 58$' out
works --advice slow-stage-late
holds "M cures no slow stage" grep -q 'it tends to 25% = 1 - 3\.375/4\.5' out
works --advice memory-limit
holds "M needs memory" grep -q 'M=28 would do, but not under the memory limit' out
works --advice lm-head-uniform
holds "the balanced split" grep -q 'makespan 117 to 96 (-17\.9%)' out
holds "costs come from layers" grep -q 'costs come from layers' out
works --advice transfer
holds "transfer" grep -q 'makespan 41 to 33: ' out
works --advice -s gpipe --memory-limit 2
holds "nobody keeps the limit" grep -q 'the least stash is 4, of 1F1B; the limit is 2' out

# ---- csv, and what it promises ----

for given in "-s 1f1b -f 1,2,1.5,1" "-s zb1p -t 0.3" "-s interleaved -c 2 -m 12 -t 0.1" "-s chimera -b 1,3,2,2"; do
	works --advice --format csv $given
	equal "columns: $given" 11 "$(sed 's/"[^"]*"/-/g' out | awk -F , '{ print NF }' | sort -u)"
	mv out kept
	sed -n 's/^micro-batches,"M [0-9]* to \([0-9]*\).*/\1/p' kept >m
	for m in $(cat m); do
		expected=$("$PIPEGANTT" --format summary $given -m "$m" | sed -n 's/^makespan[ =]//p')
		cp kept out
		equal "makespan at M=$m: $given" "$expected" "$(field micro-batches makespan)"
	done
	title=$(sed -n 's/^family,"[^"]* to \([^"]*\)",.*/\1/p' kept)
	name=$("$PIPEGANTT" --list-schedules | awk -F '\t' -v title="$title" '$2 == title { print $1 }')
	holds "a family is named: $given" [ -n "$name" ]
	expected=$(makespan $given -s "$name")
	cp kept out
	equal "makespan of $name: $given" "$expected" "$(field family makespan)"
	holds "nothing is below the bound: $given" awk -v bound="$(field bound value)" \
		-v now="$(makespan $given)" 'BEGIN { exit now < bound - 1e-9 }'
	# Growing a cost by a unit's 1000th, against a run.
	now=$(makespan $given -t 0.3)
	expected=$(makespan $given -t 0.301)
	works --advice --format csv $given -t 0.3
	holds "transfer per unit: $given" awk -v now="$now" -v then="$expected" \
		-v slope="$(slope transfer longer)" \
		'BEGIN { d = (then - now) / 0.001 - slope; exit d > 1e-6 || d < -1e-6 }'
done
works --advice --format csv -s 1f1b -f 1,1,1,1.5 -b 2,2,2,3
equal "the slow stage shorter" -8 "$(slope "B of stage 3" shorter)"
equal "and longer" 8 "$(slope "F of stage 3" longer)"
equal "another one longer" 1 "$(slope "F of stage 0" longer)"

# ---- json ----

works --advice --format json
if command -v python3 >/dev/null 2>&1; then
	holds "json" python3 - <<'PY'
import json
advice = json.load(open("out"))
assert advice["makespan"] == 33 and advice["target"] == 0.1
kinds = {s["advice"]: s for s in advice["suggestions"]}
assert list(kinds) == ["cost", "micro-batches", "family", "split", "transfer", "bound"]
assert kinds["family"]["gives"]["makespan"] == 25.5 and kinds["family"]["applies"]
assert abs(kinds["micro-batches"]["gives"]["bubble_fraction"] - 3 / 31) < 1e-12
assert kinds["bound"]["makespan"] == 33 and not kinds["bound"]["applies"]
stages = advice["sensitivity"]["stages"]
assert [s["stage"] for s in stages] == [0, 1, 2, 3]
assert all(s["forward"] == {"shorter": -1, "longer": 8} for s in stages)
assert advice["sensitivity"]["transfer"] == {"shorter": None, "longer": 6}
PY
fi
works --advice --format json gpipe 1f1b
equal "an object a file" 2 "$(grep -c '^{' out)"
printf '0F0,0B0\n1F0,1B0\n' >'a"table.csv'
works --advice --format json 'a"table.csv'
if command -v python3 >/dev/null 2>&1; then
	holds "json with a name that has a quote" python3 -c 'import json; json.load(open("out"))'
fi
works --advice -p 16 -m 64 -s 1f1b -o advice.csv
holds "into a file" grep -q '^micro-batches,"M 64 to 136"' advice.csv

# ---- what is refused ----

for given in 0 0.09 99.1 -1 x nan 10% ''; do
	refuses 2 --target "0.1 to 99" --advice --target "$given"
done
refuses 2 --target "--advice is needed" --target 5
refuses 2 --advice "by itself" --advice --families
refuses 2 --advice "by itself" --advice --sweep m=1..4
refuses 2 --advice "by itself" --advice --compare gpipe 1f1b
refuses 2 --advice "a lesson is shown or printed" --advice --lesson
refuses 2 --format "text, csv or json" --advice --format ini

finish
