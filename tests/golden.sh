#!/bin/sh
# The reference cases, run through the whole program: written as scenario files, printed as json, and
# compared with what an independent implementation found: times, orders, stashes and partitions to
# the last bit, other numbers to 1e-12. They are looked for in $PIPEGANTT_GOLDEN/seed; where there
# are none, a few small ones at the end of this file stand for them.
# lib.sh is not followed; lists of files are words; awk has dollars of its own.
# shellcheck disable=SC1091,SC2154,SC2086,SC2016
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

golden=${PIPEGANTT_GOLDEN:-$SRCDIR/../shared/golden}/seed
if [ ! -d "$golden" ]; then
	echo "no reference cases in $golden: only the embedded ones"
	golden=$scratch
	for file in timelines.txt metrics.txt partitions.txt; do
		sed "1,/^# ---- $file/d; /^# ----/,\$d; s/^# //" "$SRCDIR/tests/golden.sh" >$file
	done
fi
holds "awk tells neighbouring doubles apart" awk 'BEGIN {
	exit !("0.30000000000000004" + 0 != "0.3" + 0 && "1e-5" + 0 == "0.00001" + 0)
}'

# write_scenarios FILE: its cases as scenarios c0001.ini and so on. Of partitions those that have to
# be refused go to r0001.ini and so on: the partition is an error, or a stage costs nothing, which a
# partition may but a timeline may not.
write_scenarios() {
	awk '
	function join(from,   i, list) {
		for (i = from; i <= NF; i++)
			list = list (i > from ? ", " : "") $i
		return list
	}
	$1 == "case" {
		forward = backward = layers = schedule = ""
		micro_batches = 1
		is_refused = 0
	}
	$1 == "schedule" || $1 == "stages" { pipeline[$1] = $2; if ($1 == "schedule") schedule = $2 }
	$1 == "micro_batches" { micro_batches = $2 }
	$1 == "forward" { forward = join(2) }
	$1 == "backward" { backward = join(2) }
	$1 == "layers" { layers = join(2) }
	$1 == "error" || ($1 == "range" && $5 + 0 == 0) { is_refused = 1 }
	$1 == "end" {
		name = sprintf("%s%04d.ini", is_refused ? "r" : "c", ++count)
		printf "[pipeline]\nstages = %s\nmicro_batches = %s\n", pipeline["stages"], micro_batches >name
		if (schedule != "")
			printf "schedule = %s\n", schedule >name
		if (layers != "")
			printf "[layers]\ncost = %s\n", layers >name
		else
			printf "[costs]\nforward = %s\nbackward = %s\n", forward, backward >name
		close(name)
	}' "$1"
}

# compare FILE: its cases that are not refused with the json in out, object by object. Prints what
# differs and at last the number of cases that agree and of those that do not.
compare() {
	awk '
	function value(name,   at, rest) {
		at = index(json, "\"" name "\":")
		if (at == 0)
			return "missing"
		rest = substr(json, at + length(name) + 3)
		if (substr(rest, 1, 1) == "[") {
			rest = substr(rest, 2, index(rest, "]") - 2)
			gsub(/,/, " ", rest)
		} else {
			sub(/[,}].*/, "", rest)
		}
		gsub(/"/, "", rest)
		return rest
	}
	function complain(what, expected, got) {
		if (bad++ == 0)
			printf "FAIL: %s: %s\n  expected: %s\n  got:      %s\n", name, what,
				substr(expected, 1, 300), substr(got, 1, 300)
	}
	function is_number(text) {
		return text ~ /^-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?$/
	}
	# The same double, and no more digits than the reference needs.
	function is_exact(expected, got) {
		sub(/\.0$/, "", expected)
		return expected == got || (is_number(got) && expected + 0 == got + 0 &&
			length(got) <= length(expected))
	}
	function is_near(expected, got,   d) {
		d = expected - got
		return is_number(got) && (d < 0 ? -d : d) <= 1e-12 * (expected < 0 ? -expected : expected)
	}
	function compare_lists(what, expected, got, is_list_exact,   e, g, n, i) {
		n = split(expected, e, " ")
		if (split(got, g, " ") != n)
			complain("length of " what, expected, got)
		for (i = 1; i <= n; i++)
			if (is_list_exact ? !is_exact(e[i], g[i]) : !is_near(e[i], g[i]))
				complain(what, e[i], g[i])
	}
	# The next of the objects in a list of objects, its values between blanks.
	function next_object(list,   i, object) {
		object = list[++at]
		gsub(/"[a-z_]*":/, "", object)
		gsub(/[{}"\]]/, "", object)
		gsub(/,/, " ", object)
		return object
	}
	function cut_list(name, list,   at, rest) {
		at = index(json, "\"" name "\":[{")
		if (at == 0)
			return 0
		rest = substr(json, at)
		sub(/\}\].*/, "", rest)
		sub(/^[^{]*/, "", rest)
		return split(rest, list, /\},/)
	}

	$1 == "case" {
		name = $2
		has_json = is_refused = 0
		lines = 0
		next
	}
	{ line[++lines] = $0 }
	$1 == "error" || ($1 == "range" && $5 + 0 == 0) { is_refused = 1 }
	$1 == "end" && !is_refused {
		bad = 0
		if ((getline json <"out") <= 0)
			json = ""
		ops = cut_list("ops", op)
		ranges = cut_list("partition", range)
		op_at = range_at = largest = 0
		for (l = 1; l < lines; l++) {
			key = line[l]
			sub(/ .*/, "", key)
			rest = substr(line[l], length(key) + 2)
			if (key == "layers")
				continue
			if (key == "op") {
				at = op_at++
				got = op_at <= ops ? next_object(op) : "missing"
				split(got, g, " ")
				split(rest, e, " ")
				if (g[1] != e[1] || g[2] != e[1] || g[3] != e[2] || g[4] != e[3] ||
					!is_exact(e[4], g[5]) || !is_exact(e[5], g[6]))
					complain("operation " op_at, rest, got)
			} else if (key == "range") {
				at = range_at++
				got = range_at <= ranges ? next_object(range) : "missing"
				split(got, g, " ")
				split(rest, e, " ")
				if (g[1] != e[1] || g[2] != e[2] || g[3] != e[3] || !is_exact(e[4], g[4]))
					complain("range " range_at, rest, got)
				if (g[4] + 0 > largest + 0)
					largest = g[4]
			} else if (key == "optimal_max_load") {
				optimum = rest
			} else if (key == "schedule") {
				if (value(key) != rest)
					complain(key, rest, value(key))
			} else {
				compare_lists(key, rest, value(key), key ~ \
					/^(stages|micro_batches|forward|backward|makespan|peak_stash|stage_peak_stash)$/)
			}
		}
		if (op_at > 0 && op_at != ops)
			complain("number of operations", op_at, ops)
		if (range_at != ranges)
			complain("number of ranges", range_at, ranges)
		if (range_at > 0 && !is_exact(optimum, largest))
			complain("largest load", optimum, largest)
		if (bad > 1)
			printf "  and %d more\n", bad - 1
		if (bad)
			failed++
		else
			passed++
	}
	END {
		if ((getline json <"out") > 0)
			print "FAIL: there are more objects than cases"
		print passed + 0, failed + 0
	}' "$1" >compared
	sed '$d' compared
	passed=$((passed + $(tail -n 1 compared | cut -d ' ' -f 1)))
	failed=$((failed + $(tail -n 1 compared | cut -d ' ' -f 2)))
	equal "cases of $(basename "$1")" "$(grep -c '^case' "$1")" \
		"$(($(tail -n 1 compared | tr ' ' +) + $(find . -name 'r*.ini' | wc -l)))"
}

for file in timelines.txt metrics.txt partitions.txt; do
	holds "$file has cases" grep -q '^case' "$golden/$file"
	write_scenarios "$golden/$file"
	works --format json c*.ini
	compare "$golden/$file"
	for scenario in r*.ini; do
		if [ -e "$scenario" ]; then
			refuses 2 "$scenario:5" "" --format json "$scenario"
		fi
	done
	rm -f [cr]*.ini
done
finish

# ---- timelines.txt
# case gpipe-p3-m2-3
# schedule gpipe
# stages 3
# micro_batches 2
# forward 2.0 2.0 2.0
# backward 7.0 7.0 7.0
# makespan 36.0
# bubble_fraction 0.5
# utilization 0.5
# throughput 0.05555555555555555
# total_busy_time 54.0
# peak_stash 2
# stage_peak_stash 2 2 2
# analytical_bubble_fraction 0.5
# analytical_utilization 0.5
# op 0 0 F 0.0 2.0
# op 0 1 F 2.0 4.0
# op 1 0 F 2.0 4.0
# op 1 1 F 4.0 6.0
# op 2 0 F 4.0 6.0
# op 2 1 F 6.0 8.0
# op 2 1 B 8.0 15.0
# op 1 1 B 15.0 22.0
# op 2 0 B 15.0 22.0
# op 0 1 B 22.0 29.0
# op 1 0 B 22.0 29.0
# op 0 0 B 29.0 36.0
# end
# case 1f1b-p2-m2-63
# schedule 1f1b
# stages 2
# micro_batches 2
# forward 1.0 7.5
# backward 2.0 15.0
# makespan 48.0
# bubble_fraction 0.46875
# utilization 0.53125
# throughput 0.041666666666666664
# total_busy_time 51.0
# peak_stash 2
# stage_peak_stash 2 1
# analytical_bubble_fraction 0.3333333333333333
# analytical_utilization 0.6666666666666666
# op 0 0 F 0.0 1.0
# op 0 1 F 1.0 2.0
# op 1 0 F 1.0 8.5
# op 1 0 B 8.5 23.5
# op 0 0 B 23.5 25.5
# op 1 1 F 23.5 31.0
# op 1 1 B 31.0 46.0
# op 0 1 B 46.0 48.0
# end
# ---- metrics.txt
# case 1f1b-p9-m82-6
# schedule 1f1b
# stages 9
# micro_batches 82
# forward 1.0 1.0 1.0 1.0 7.5 1.0 1.0 1.0 1.0
# backward 2.0 2.0 2.0 2.0 15.0 2.0 2.0 2.0 2.0
# makespan 1857.0
# bubble_fraction 0.7718542451983486
# utilization 0.22814575480165142
# throughput 0.04415724286483576
# total_busy_time 3813.0
# peak_stash 9
# stage_peak_stash 9 8 7 6 5 4 3 2 1
# analytical_bubble_fraction 0.08888888888888889
# analytical_utilization 0.9111111111111111
# end
# case gpipe-p1-m89-8
# schedule gpipe
# stages 1
# micro_batches 89
# forward 0.861604651552379
# backward 6.790647680129927
# makespan 681.0504575197265
# bubble_fraction 1.887379141862766e-15
# utilization 0.9999999999999981
# throughput 0.1306804789826048
# total_busy_time 681.0504575197265
# peak_stash 89
# stage_peak_stash 89
# analytical_bubble_fraction 0.0
# analytical_utilization 1.0
# end
# ---- partitions.txt
# case part-2
# stages 9
# layers 8.578111261465633 9.49308292058321 7.974507730358747 8.874386384992661 3.69114426328132 6.512836057833926 1.0764905925645152 7.67224553845352 0.5734046617569244 7.077870937346181 1.8500355806888191 6.669628894687516 9.71925508080487 2.6376301320772333
# optimal_max_load 12.356885212882105
# range 0 0 1 8.578111261465633
# range 1 1 2 9.493082920583209
# range 2 2 3 7.974507730358745
# range 3 3 4 8.874386384992661
# range 4 4 6 10.203980321115246
# range 5 6 8 8.748736131018035
# range 6 8 10 7.6512755991031085
# range 7 10 12 8.519664475376338
# range 8 12 14 12.356885212882105
# end
# case part-6
# stages 3
# layers 1.0 1.0 3.0 1.0 1.0 3.0 2.0 50.0 50.0 1.0 3.0 2.0 1.0 50.0 3.0 50.0 50.0 3.0 2.0 2.0 2.0 3.0 2.0 3.0
# optimal_max_load 112.0
# range 0 0 9 112.0
# range 1 9 16 110.0
# range 2 16 24 67.0
# end
# case part-87
# stages 1
# layers 0.0
# optimal_max_load 0.0
# range 0 0 1 0.0
# end
# case part-104
# stages 4
# layers 2.0 1.0
# error
# end
# ----
