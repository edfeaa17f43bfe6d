#!/bin/sh
# The printed forms: that they have the shape other programs rely on, that they agree with each
# other, and that a scenario written as ini is the same one when it is read again.
# lib.sh is not followed; options are split at blanks; awk has dollars of its own.
# shellcheck disable=SC1091,SC2154,SC2086,SC2016,SC2046
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

# near WHAT EXPECTED GOT: equal but for rounding?
near() {
	if awk -v a="$2" -v b="$3" 'BEGIN {
		d = a - b; if (d < 0) d = -d
		most = a < 0 ? -a : a
		exit !(b ~ /^[0-9.e-]+$/ && d <= 1e-12 * most)
	}'; then
		pass
	else
		fail "$@"
	fi
}

# ---- values that can be worked out by hand ----

# OPTIONS: makespan, bubble as a fraction, peak stash.
while IFS='|' read -r options makespan above below stash; do
	works --format summary $options
	equal "makespan of $options" "$makespan" "$(value makespan)"
	near "bubble of $options" "$(awk -v a="$above" -v b="$below" 'BEGIN { printf "%.17g", a / b }')" \
		"$(value bubble_fraction)"
	near "utilization of $options" \
		"$(awk -v a="$above" -v b="$below" 'BEGIN { printf "%.17g", 1 - a / b }')" \
		"$(value utilization)"
	equal "peak stash of $options" "$stash" "$(value peak_stash)"
done <<'EOF'
-s gpipe|33|3|11|8
-s 1f1b|33|3|11|4
-s gpipe -p 8 -m 64|213|7|71|64
-s 1f1b -p 8 -m 64|213|7|71|8
-s gpipe -p 64 -m 1024|3261|63|1087|1024
-s 1f1b -p 64 -m 1024|3261|63|1087|64
-s gpipe -p 8 -m 4|33|7|11|4
-s 1f1b -p 8 -m 4|33|7|11|4
-s gpipe -p 1 -m 5|15|0|1|5
-s 1f1b -p 1 -m 5|15|0|1|1
-s gpipe -p 4 -m 1|12|3|4|1
-s 1f1b -p 4 -m 1|12|3|4|1
-s gpipe -t 0.5|36|12|36|8
-s 1f1b -t 0.5|41|17|41|4
-s 1f1b --layers 8*1,3 --split 2,2,2,3|138|72|138|4
-s 1f1b --layers 8*1,3 --split uniform|117|51|117|4
-s 1f1b --layers 8*1,3 --split balanced|96|30|96|4
-s 1f1b -f 0.25 -b 0.5|8.25|3|11|4
EOF
works --format summary -s gpipe
equal "stash per stage of gpipe" "8 8 8 8" "$(value stage_peak_stash)"
works --format summary -s 1f1b
equal "stash per stage of 1f1b" "4 3 2 1" "$(value stage_peak_stash)"
near "throughput" 0.242424242424242424 "$(value throughput)"
equal "total busy time" 96 "$(value total_busy_time)"
near "the formula's bubble" 0.272727272727272727 "$(value analytical_bubble_fraction)"
near "the formula's utilization" 0.727272727272727273 "$(value analytical_utilization)"
works --format summary -s 1f1b -f 1,9,1,1 -t 3
near "the formula whatever the costs" 0.272727272727272727 "$(value analytical_bubble_fraction)"

# ---- the same scenario in every form ----

# Is the file valid json, one object a line? Values are folded until one is left.
is_json() {
	awk '{
		gsub(/"[^"\\]*"/, "s")
		gsub(/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/, "v")
		gsub(/\[(v(,v)*)?\]/, "v")
		do {
			before = $0
			gsub(/\{s:[vs](,s:[vs])*\}/, "v")
			gsub(/\[(v(,v)*)?\]/, "v")
		} while ($0 != before)
		if ($0 != "v")
			exit 1
	}' "$1"
}

# A list of operations in csv against the costs of the json, by the rules of the pipeline: what each
# operation waits for, how long it takes, and the order of the list. The orders of the two families
# are known here too, so that nothing is left open.
check_ops() {
	awk -F , -v schedule="$1" -v transfer="$2" -v forward="$3" -v backward="$4" -v p="$5" -v m="$6" '
	function complain(what) {
		printf "%s: line %d: %s\n", $0, NR, what
		bad = 1
		exit
	}
	# The operation that a device runs as number i.
	function planned(device, i,   warm) {
		if (schedule == "gpipe")
			return i < m ? "F" i : "B" (2 * m - 1 - i)
		warm = p - 1 - device < m ? p - 1 - device : m
		if (i < warm)
			return "F" i
		if (i >= 2 * m - warm)
			return "B" (i - m)
		return (i - warm) % 2 == 0 ? "F" (warm + (i - warm) / 2) : "B" ((i - warm - 1) / 2)
	}
	BEGIN {
		if (split(forward, f, ",") != p || split(backward, b, ",") != p) {
			print "costs: " forward " " backward
			bad = 1
			exit
		}
	}
	NR == 1 {
		if ($0 != "device,stage,micro_batch,kind,start,end")
			complain("header")
		next
	}
	{
		device = $1
		if (NF != 6 || $2 != device || $4 !~ /^[FB]$/)
			complain("fields")
		if ($4 $3 != planned(device, ran[device] + 0))
			complain("should be " planned(device, ran[device] + 0))
		ran[device]++
		start = free[device] + 0
		if ($4 == "F" && device > 0)
			input = done["F", $3, device - 1] + transfer
		else if ($4 == "B" && device < p - 1)
			input = done["B", $3, device + 1] + transfer
		else if ($4 == "B")
			input = done["F", $3, device]
		else
			input = 0
		if (input > start)
			start = input
		if ($5 + 0 != start)
			complain(sprintf("starts at %.17g", start))
		end = start + ($4 == "F" ? f[device + 1] : b[device + 1])
		if ($6 + 0 != end)
			complain(sprintf("ends at %.17g", end))
		free[device] = end
		done[$4, $3, device] = end
		key = sprintf("%09d %d %09d", device, $4 == "B", $3)
		if (NR > 2 && ($5 + 0 < last_start || ($5 + 0 == last_start && key <= last_key)))
			complain("order")
		last_start = $5 + 0
		last_key = key
	}
	END {
		if (!bad && NR != 2 * p * m + 1) {
			print NR - 1 " operations"
			bad = 1
		}
		exit bad
	}' "$7"
}

summary_keys="schedule stages micro_batches chunks makespan bubble_fraction utilization throughput"
summary_keys="$summary_keys total_busy_time peak_stash stage_peak_stash analytical_bubble_fraction"
summary_keys="$summary_keys analytical_utilization"
idle_keys="ideal floor makespan_without_transfer idle idle_fill idle_inside idle_drain idle_transfer"
idle_keys="$idle_keys idle_schedule idle_imbalance span_bubble"

# check_idle SUMMARY OPERATIONS: do the parts of the idle time add up, and are those by place what
# the operations leave free?
check_idle() {
	awk -F '[ ,]' '
	function near(a, b, what) {
		if (a - b > 1e-9 * (1 + total) || b - a > 1e-9 * (1 + total))
			printf "%s: %.17g is not %.17g\n", what, a, b
	}
	NR == FNR { value[$1] = $2; next }
	{
		if (!($1 in last)) {
			fill += $5
			work[$1] = 0
		} else if ($5 > last[$1])
			inside += $5 - last[$1]
		last[$1] = $6
		work[$1] += $6 - $5
	}
	END {
		total = value["idle"]
		for (device in last) {
			drain += value["makespan"] - last[device]
			all += work[device]
			most = work[device] > most ? work[device] : most
			devices++
		}
		near(value["idle_fill"], fill, "fill")
		near(value["idle_inside"], inside, "inside")
		near(value["idle_drain"], drain, "drain")
		near(total, devices * value["makespan"] - all, "total")
		near(value["floor"], most, "floor")
		near(value["ideal"], all / devices, "ideal")
		near(value["idle_transfer"], devices * (value["makespan"] - value["makespan_without_transfer"]),
			"transfer")
		near(value["idle_schedule"], devices * (value["makespan_without_transfer"] - most), "schedule")
		near(value["idle_imbalance"], devices * most - all, "imbalance")
	}' "$1" "$2"
}

# check_path TRANSFER OPERATIONS <INDICES: does each operation end when the next one starts, with the
# transfer in between where the device changes, from 0 to the makespan?
check_path() {
	awk -F , -v transfer="$1" '
	NR == FNR { device[NR - 1] = $1; start[NR - 1] = $5; end[NR - 1] = $6
		last = $6 > last ? $6 : last; next }
	{
		at += FNR > 1 && device[$1] != before ? transfer : 0
		if (start[$1] - at > 1e-9 * last || at - start[$1] > 1e-9 * last)
			print $1 " starts at " start[$1] ", not " at
		at = end[$1]
		before = device[$1]
	}
	END { if (at != last) print "ends at " at }' "$2" -
}

# Costs so small that an end is a start leave the order of operations open; with those `tiny` is set.
tiny=
check_forms() { # OPTIONS
	what=$1
	works --format json $1
	mv out json
	works --format csv $1
	mv out csv
	works --format summary $1
	mv out summary
	works --format ini $1
	mv out ini
	cp json out

	holds "valid json of $what" is_json json
	shape=$(sed 's/\([:,[]\)-\{0,1\}[0-9][-0-9.e]*/\1N/g; s/\(N,\)*N]/N]/g; s/"[FB]"/"K"/g
		s/"schedule":"[a-z0-9]*"/"schedule":"S"/
		s/"devices":\[[^]]*\]/"devices":[D]/
		s/\({"device[^}]*}\)\(,{"device[^}]*}\)*/\1/g
		s/\({"stage"[^}]*}\)\(,{"stage"[^}]*}\)*/\1/g' json)
	equal "keys of the json of $what" \
		'{"schedule":"S","stages":N,"micro_batches":N,"chunks":N,"transfer":N,"forward":[N],"backward":[N],"metrics":{"makespan":N,"bubble_fraction":N,"utilization":N,"throughput":N,"total_busy_time":N,"peak_stash":N,"stage_peak_stash":[N],"analytical_bubble_fraction":N,"analytical_utilization":N,"span_bubble":N,"ideal":N,"floor":N,"makespan_without_transfer":N,"idle":{"total":N,"place":{"fill":N,"inside":N,"drain":N},"cause":{"transfer":N,"schedule":N,"imbalance":N},"devices":[D]}},"critical_path":[N],"ops":[{"device":N,"stage":N,"micro_batch":N,"kind":"K","start":N,"end":N}]}' \
		"$(printf '%s' "$shape" | sed 's/"partition":[^]]*],//')"
	expected=
	if grep -q '^\[layers\]' ini; then
		expected='"partition":[{"stage":N,"start_layer":N,"end_layer":N,"load":N}],"critical_path"'
	fi
	equal "partition in the json of $what" "$expected" \
		"$(printf '%s' "$shape" | grep -o '"partition":[^]]*],"critical_path"')"

	equal "names of the summary of $what" "$summary_keys $idle_keys" \
		"$(cut -d ' ' -f 1 summary | tr '\n' ' ' | sed 's/ $//')"
	equal "json and summary of $what" "$(sed '/^ideal /,$d; s/^[^ ]* //' summary)" "$(for key in $summary_keys; do
		member "$key" | tr -d '"' | tr , ' '
	done)"
	equal "each line of the summary of $what has one value, but the stash" "" \
		"$(awk 'NF != 2 && $1 != "stage_peak_stash"' summary)"
	equal "stash per stage of $what" "$(member stages)" "$(member stage_peak_stash | tr , '\n' | wc -l |
		tr -d ' ')"

	sed 's/.*"ops":\[{//; s/}\]}$//; s/},{/\
/g; s/"[a-z_]*"://g; s/"//g' json >json.ops
	sed 1d csv >csv.ops
	same "operations in json and csv of $what" json.ops csv.ops
	if [ -z "$tiny" ]; then
		equal "operations of $what" "" "$(check_ops "$(member schedule | tr -d '"')" \
			"$(member transfer)" "$(member forward)" "$(member backward)" "$(member stages)" \
			"$(member micro_batches)" csv)"
		equal "peak stash of $what" "$(awk -F , '{
			held[$1] += $4 == "F" ? 1 : -1
			most[$1] = held[$1] > most[$1] ? held[$1] : most[$1]
		} END {
			for (i = 0; i in most; i++)
				printf "%s%d", (i ? "," : ""), most[i]
		}' csv.ops)" "$(member stage_peak_stash)"
	fi
	equal "idle times of $what" "" "$(check_idle summary csv.ops)"
	[ -n "$tiny" ] ||
		equal "critical path of $what" "" "$(sed 's/.*"critical_path":\[//; s/\].*//' json |
			tr , '\n' | check_path "$(member transfer)" csv.ops)"
	near "makespan of $what" "$(cut -d , -f 6 csv.ops | sort -g | tail -n 1)" "$(member makespan)"
	near "busy time of $what" "$(awk -F , '{ sum += $6 - $5 } END { printf "%.17g", sum }' csv.ops)" \
		"$(member total_busy_time)"

	# Written and read again: the same, bit for bit, however often.
	works --format json ini
	same "json of $what, by way of ini" json out
	works --format ini ini
	same "ini of $what, read and written again" ini out
	holds "lines of the ini of $what are short" awk 'length >= 190 { exit 1 }' ini
}

check_forms ""
check_forms "-s 1f1b"
check_forms "-s 1f1b -p 1 -m 1"
check_forms "-s 1f1b -p 7 -m 3 -t 0.1"
check_forms "-p 5 -m 12 -f 1,2.5,0.3,4,1e-3 -b 0.1 -t 1e-9"
check_forms "-s 1f1b -p 16 -m 40 --layers 0.0625,126*1,0.625 --split 8,14*8,8"
check_forms "-p 4 --layers 8*1/3,3,2/0.5,1 --backward-ratio 1.7 -t 0.3"
check_forms "-s 1f1b --hold model -p 6 -f 1,2,3,4,5,6 --no-mouse"

# Doubles of all kinds: those a decimal is likely to miss.
doubles() { # COUNT SEED: list of doubles between 1e-12 and 1e4
	awk -v n="$1" -v seed="$2" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++) {
			x = (rand() + rand() / 1e8 + 1e-12) * exp((rand() - 0.5) * 16)
			printf "%s%.17g", (i ? "," : ""), x
		}
	}'
}
check_forms "-p 3 -f 5.684341886080802e-14,0.1,0.30000000000000004 -b 9007199254740993,1e23,123456789012345678"
tiny=yes
check_forms "-f 5e-324 -b 5e-324"
check_forms "-p 3 -m 2 -f 1.7976931348623157e292,4.9406564584124654e-324,2.2250738585072011e-308 -t 1e22"
check_forms "-f 1e300,1e-300,1,2.2250738585072014e-308 -b 1e300 -t 1e300"
tiny=
for seed in 1 2 3 4 5 6; do
	check_forms "-s 1f1b -p 9 -m 11 -f $(doubles 9 $seed) -b $(doubles 9 1$seed) -t $(doubles 1 2$seed)"
	check_forms "-p 6 -m 5 --layers $(doubles 23 3$seed) --backward-ratio $(doubles 1 4$seed)"
	check_forms "-p 6 -m 5 --layers $(doubles 9 5$seed | sed 's/,/\/1.1,/g') --split uniform"
done

# ---- ini ----

printf '[stage 2]\nforward = 9\n[costs]\nbackward = 3, 3, 3, 3\nforward = 1\n' >in.ini
cat >>in.ini <<'EOF'
[scenario]
time = ms
notes = first line

  third line
title = A title; with this
[pipeline]
hold = model
transfer = 1e3
schedule = 1f1b
EOF
works --format ini in.ini
cat >expected <<'EOF'
[scenario]
title = A title; with this
notes = first line

    third line
time  = ms

[pipeline]
schedule      = 1f1b
stages        = 4
micro_batches = 8
transfer      = 1000
hold          = model

[costs]
forward  = 1, 1, 9, 1
backward = 3
EOF
same "the order of an ini, lists folded" expected out
check_forms "$PWD/in.ini"
works --format ini in.ini
mv out in.ini
works -o in.ini in.ini
same "a file written over itself" expected in.ini

works --format ini --layers 2*1,2*3/4,1 --split 1,1,1,2
equal "layers in an ini" "cost = 2*1, 2*3/4, 1;split = 3*1, 2;backward_ratio = 2;" \
	"$(sed -n 's/  *= / = /; /^cost/,$p' out | tr '\n' ';')"
works --format ini -p 4096 -m 1 -f "$(awk 'BEGIN { for (i = 1; i <= 4096; i++) printf "%s%d.0625", (i > 1 ? "," : ""), i }')"
holds "4096 costs are wrapped" awk 'length >= 190 { exit 1 }' out
mv out long.ini
works --format json long.ini
equal "and come back" 4096.0625 "$(member forward | sed 's/.*,//')"
works --format ini long.ini
same "as they were" long.ini out

# ---- the legend names all that a family is drawn with, at 80 columns too ----

for family in dualpipe dualpipev; do
	works --width 80 -s $family
	equal "legend of $family" "F B I W F&B idle" "$(tail -n 1 out | tr -s ' ' '\n' |
		grep -E '^([FBIW]|F&B|idle)$' | tr '\n' ' ' | sed 's/ $//')"
done
works --width 80 -s zbv
equal "legend of zbv, which has no whole backward" "F I W idle" "$(tail -n 1 out | tr -s ' ' '\n' |
	grep -E '^([FBIW]|F&B|idle)$' | tr '\n' ' ' | sed 's/ $//')"

# ---- memory, and parameters beside the costs ----

# 1F1B keeps P-r micro-batches, here of 3 each.
works --format summary -s 1f1b --activation 3 --memory-limit 5
equal "memory in a summary" "peak_memory 12;stage_peak_memory 12 9 6 3;memory_limit 5;" \
	"$(sed '1,/^span_bubble/d' out | tr '\n' ';')"
works --format json -s 1f1b --activation 3 --memory-limit 5
equal "memory in a json" "3,3,3,3 5 12 12,9,6,3" \
	"$(member activation) $(member memory_limit) $(member peak_memory) $(member stage_peak_memory)"
works --format json -s interleaved-overlap -c 2 --fused 0.75
equal "group and fused in a json" "4 0.75" "$(member group) $(member fused)"
works -s forward-only --width 80 -f 1.5
equal "lanes of an inference pipeline name no backward" "1.5 1.5 1.5 1.5" \
	"$(awk '$1 ~ /^[0-9.+]+$/ { print $1 }' out | tr '\n' ' ' | sed 's/ $//')"

# ---- text ----

# token NAME: what the chart says behind NAME=.
token() {
	sed -n "s|.*[ ]$1=\\([^ ]*\\).*|\\1|p" out | head -n 1
}
percent() { # FRACTION
	awk -v x="$1" 'BEGIN { s = sprintf("%.1f", x * 100); sub(/\.0$/, "", s); print s "%" }'
}
while read -r title options; do
	works --format summary $options
	mv out summary
	for width in 80 100 132 200; do
		works --width $width $options
		mv out chart
		mv summary out
		makespan=$(value makespan)
		bubble=$(percent "$(value bubble_fraction)")
		utilization=$(percent "$(value utilization)")
		formula=$(percent "$(value analytical_bubble_fraction)")
		stash=$(value peak_stash)
		p=$(value stages)
		m=$(value micro_batches)
		mv out summary
		mv chart out
		holds "title of $options in $width columns" grep -q "^ $title  P=$p  M=$m" out
		equal "makespan of $options in $width columns" "$makespan" "$(token makespan)"
		equal "bubble of $options in $width columns" "$bubble" "$(token bubble)"
		equal "peak stash of $options in $width columns" "$stash" "$(token 'peak stash')"
		holds "stash in models of $options in $width columns" \
			grep -q "($(awk -v a="$stash" -v p="$p" 'BEGIN { printf "%.2f", a / p }') model)" out
		equal "utilization of $options in $width columns" "$utilization" \
			"$(if [ "$(token utilization)" = "" ]; then echo "$utilization"; else token utilization; fi)"
		case $options in
		*-t* | *,* | *layers*)
			holds "no formula for $options" [ "$(grep -c formula= out)" -eq 0 ] ;;
		*) equal "formula of $options in $width columns" "$formula" "$(token formula)" ;;
		esac
		equal "a lane for each stage of $options in $width columns" "$p" \
			"$(grep -c '^ *\(stage \)\{0,1\}[0-9][0-9]* .*[░▓].*%$' out)"
		holds "a legend of $options in $width columns" grep -q 'forward.*backward.*idle' out
		holds "no line of $options ends in a blank" [ "$(grep -c ' $' out)" -eq 0 ]
	done
done <<'EOF'
GPipe -s gpipe
1F1B -s 1f1b
1F1B -s 1f1b -p 8 -m 64
GPipe -p 3 -m 5 -t 0.5
1F1B -s 1f1b -p 12 -m 20
1F1B -s 1f1b --layers 8*1,3 --split 2,2,2,3
GPipe -f 1,2,3,4 -b 2
EOF
works -s 1f1b --width 132
equal "idle/ideal" 37.5% "$(token idle/ideal)"
equal "floor" 24 "$(token floor)"
equal "throughput" 0.242 "$(token throughput)"
works --ascii --width 100 -s 1f1b -p 2 -m 2
holds "the operations of stage 0 in order" grep -q '^ 1+2 *0>*1>*[.]*0<*[.]*1<*$' out
works --width 100 "$PIPEGANTT_ASSETS/scenarios/gpipe.ini"
holds "the title of a scenario" grep -q 'GPipe: forwards, then backwards' out

finish
