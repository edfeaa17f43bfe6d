#!/bin/sh
# The scenarios that come with the program: each is readable, says what it shows, can be written and
# read again, and has the numbers that tests/scenarios.txt claims. A number in its notes of the form
# makespan=33 or bubble=27.3% is what the chart says.
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

equal "each scenario has a claim and each claim a scenario" \
	"$(cd "$folder" && for file in *.ini; do echo "${file%.ini}"; done | LC_ALL=C sort)" \
	"$(cut -d ' ' -f 1 "$claims" | LC_ALL=C sort)"
equal "form of the claims" "" \
	"$(grep -v '^[a-z0-9-]* makespan [0-9.e-]* bubble_fraction [0-9.e-]* peak_stash [0-9.]*$' "$claims")"

while read -r name _ makespan _ bubble _ stash; do
	works --format summary "$folder/$name.ini"
	mv out summary
	works --format summary "$name"
	same "$name by its name" summary out
	equal "makespan of $name" "$makespan" "$(value makespan)"
	near "bubble of $name" "$bubble" "$(value bubble_fraction)"
	equal "peak stash of $name" "$stash" "$(value peak_stash)"

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
		sed -n 's/[.,]$//; /^\(makespan\|bubble\|floor\)=[0-9.]*%\{0,1\}$/p'); do
		number=${token#*=}
		shown=$(sed -n "s/.*${token%%=*}=\\([0-9.]*\\).*/\\1/p" out | head -n 1)
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
done <"$claims"

# Together they are the slide show of a talk.
# shellcheck disable=SC2046
works --format json $(cut -d ' ' -f 1 "$claims")
equal "all of them at once" "$(grep -c '' "$claims")" "$(grep -c '^{.*}$' out)"
# shellcheck disable=SC2046
works --width 100 $(cut -d ' ' -f 1 "$claims")

finish
