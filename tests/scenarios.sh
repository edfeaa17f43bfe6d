#!/bin/sh
# The scenarios that come with the program: each is readable, says what it shows, can be written and
# read again, and has the numbers that tests/scenarios.txt claims, also after the steps its notes
# propose (given there as options). A number in its notes of the form makespan=33 or bubble=27.3% is
# what the chart says. For those in papers/ every result in the notes has to be claimed.
# lib.sh is not followed; awk has dollars of its own.
# shellcheck disable=SC1091,SC2154,SC2016
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

folder=$SRCDIR/assets/scenarios
claims=$SRCDIR/tests/scenarios.txt
PIPEGANTT_ASSETS=$SRCDIR/assets
export PIPEGANTT_ASSETS

# text KEY: of the ini in out, on one line.
text() {
	awk -v key="$1" '
	/^[a-z]/ { is_on = $1 == key }
	/^\[/ { is_on = 0 }
	is_on { line = $0; sub(/^[a-z_]* *= */, "", line); sub(/^ */, "", line); printf "%s ", line }
	' out
}

# near WHAT EXPECTED GOT: equal to 1e-12?
near() {
	if awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !(b ~ /^[0-9]/ && (d < 0 ? -d : d) <= 1e-12 * a) }'
	then
		pass
	else
		fail "$@"
	fi
}

# The bubble of a claim as a number: 3/7 says where it comes from.
awk '{ for (i = 1; i < NF; i++) if ($i == "bubble_fraction" && split($(i + 1), part, "/") == 2)
	$(i + 1) = sprintf("%.17g", part[1] / part[2]); print }' "$claims" >claimed
names=$(awk '$2 == "makespan" { print $1 }' claimed)

equal "each scenario has a claim and each claim a scenario" \
	"$(cd "$folder" && for file in *.ini papers/*.ini; do echo "${file%.ini}"; done | LC_ALL=C sort)" \
	"$(printf '%s\n' "$names" | LC_ALL=C sort)"
works --list-scenarios
equal "--list-scenarios has the same" "$(printf '%s\n' "$names" | LC_ALL=C sort)" \
	"$(cut -f 1 out | LC_ALL=C sort)"
equal "form of the claims" "" \
	"$(grep -v '^[a-z0-9/-]* \(-[a-z-]* [a-z0-9.-]* \)*makespan [0-9.e-]* bubble_fraction [0-9./e-]* peak_stash [0-9.]*$' "$claims")"

while read -r name rest; do
	options=${rest%%makespan *}
	# shellcheck disable=SC2086 # words are wanted
	works --format summary $options "$name"
	# shellcheck disable=SC2086
	set -- ${rest#"$options"}
	if [ -z "$options" ]; then
		equal "makespan of $name" "$2" "$(value makespan)"
	else
		near "makespan of $name $options" "$2" "$(value makespan)"
	fi
	near "bubble of $name $options" "$4" "$(value bubble_fraction)"
	equal "peak stash of $name $options" "$6" "$(value peak_stash)"
	[ -z "$options" ] || continue
	mv out summary
	works --format summary "$folder/$name.ini"
	same "$name by its name" summary out

	works --format ini "$name"
	title=$(text title)
	notes=$(text notes)
	holds "$name has a title" [ -n "$title" ]
	holds "the title of $name fits 40 columns" [ "${#title}" -le 41 ]
	holds "$name has notes" [ -n "$notes" ]
	holds "lines of $name.ini fit 120 columns" awk 'length > 120 { exit 1 }' "$folder/$name.ini"
	cp out copy.ini
	works --format summary copy.ini
	same "$name written and read again" summary out

	# What the notes expect at first, before any key: the sentence that begins so.
	works --width 400 "$name"
	for token in $(printf '%s\n' "$notes" | sed -n 's/.*Expect \([^:;]*\).*/\1/p' | tr ' ' '\n' |
		sed -n 's/[.,]$//; /^\(makespan\|bubble\|floor\|span\|stash\|idle.ideal\)=[0-9.]*%\{0,1\}$/p'); do
		number=${token#*=}
		shown=$(sed -n "s:.* ${token%%=*}=\\([0-9.]*\\).*:\\1:p" out | head -n 1)
		number=${number%\%}
		# Notes may leave digits out or give one more.
		if awk -v a="$number" -v b="$shown" -v s="$number" 'BEGIN {
			digits = index(s, ".") ? length(s) - index(s, ".") : 0
			if (digits > 1)
				digits = 1
			unit = 1
			while (digits-- > 0)
				unit /= 10
			d = a - b
			exit !(b ~ /^[0-9]/ && (d < 0 ? -d : d) <= unit / 2 + 1e-9)
		}'; then
			pass
		else
			fail "notes of $name: $token" "$token" "${token%%=*}=$shown"
		fi
	done
	case $name in
	papers/*) printf '%s' "$notes" >"notes-${name#papers/}" ;;
	esac
done <claimed

# Results that the notes on a paper give: each is one of the scenario's claims, and no claim is idle.
for notes in notes-*; do
	name=papers/${notes#notes-}
	equal "results in the notes of $name without a claim" "checked" "$(awk -v name="$name" '
	function has(kind, number,   i, unit, d, is_found) {
		unit = number ~ /[.]/ ? 0.1 : 1
		for (i = 1; i <= count; i++) {
			if (kind == "makespan" || kind == "stash") {
				d = claim[kind, i] - number
				unit = 1e-9
			} else {
				d = claim["bubble", i]
				d = 100 * (kind == "bubble" ? d : d / (1 - d)) - number
			}
			if (d * d <= unit * unit / 4 + 1e-9 * unit)
				is_found = seen[kind, i] = 1
		}
		return is_found
	}
	FILENAME == "claimed" {
		if ($1 == name) {
			claim["makespan", ++count] = $(NF - 4)
			claim["bubble", count] = $(NF - 2)
			claim["stash", count] = $NF
		}
		next
	}
	{
		text = text " " $0
	}
	END {
		while (match(text, /(makespan|bubble|stash|idle\/ideal)( of |[ =])[0-9]+([.][0-9]+)?%?/)) {
			found = substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
			kind = found
			sub(/( of |[ =]).*/, "", kind)
			number = found
			gsub(/^[^0-9]*|%$/, "", number)
			if (!has(kind, number))
				print found
		}
		for (i = 1; i <= count; i++)
			if (!seen["makespan", i])
				print "no makespan of " claim["makespan", i]
		print "checked"
	}' claimed "$notes")"
done

# Each family has a scenario of its own, under its name.
for family in $("$PIPEGANTT" --list-schedules | cut -f 1); do
	works --format summary "$family"
	equal "the scenario of $family" "$family" "$(value schedule)"
done

# row NAME DEVICE: the micro-batches in the device's order, from 1, a whole backward as its two parts.
row() {
	"$PIPEGANTT" --format pytorch "$1" | tr -d '\r' | awk -F , -v device="$2" 'NR == device {
		for (i = 1; i <= NF; i++) {
			micro_batch = $i
			sub(/^[0-9]+[A-Z]/, "", micro_batch)
			printf "%s%s", micro_batch + 1, $i ~ /B/ ? micro_batch + 1 : ""
		}
	}'
}
# As they stand in figures 3 and 8 of arXiv 2401.10241 (micro-batches below 10: a digit each).
equal "ZB-H1, device 1" 123411522633744855667788 "$(row papers/zb-h1 1)"
equal "ZB-H2, device 1" 123456711822334455667788 "$(row papers/zb-h2 1)"
equal "ZB-H2, device 2" 123451627318425364758678 "$(row papers/zb-h2 2)"
equal "ZB-H2, device 3" 123142536475186273845678 "$(row papers/zb-h2 3)"
equal "ZB-H2, device 4" 112233445566771882345678 "$(row papers/zb-h2 4)"
equal "ZB-V, device 1" 123456711122233344481155522666337774488855667788 "$(row papers/zbv 1)"

# Together they are the slide show of a talk.
# shellcheck disable=SC2086
works --format json $names
equal "all of them at once" "$(printf '%s\n' "$names" | grep -c '')" "$(grep -c '^{.*}$' out)"
# shellcheck disable=SC2086
works --width 100 $names

finish
