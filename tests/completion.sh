#!/bin/sh
# Completions offer what the program lists. bash is asked here, without any completion package; zsh and
# fish are only read for syntax where they are installed.
# lib.sh is not followed; bash has dollars of its own.
# shellcheck disable=SC1091,SC2154,SC2016
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

completions=$SRCDIR/assets/completions
for shell in zsh fish; do
	file=$completions/_pipegantt
	[ "$shell" = zsh ] || file=$completions/pipegantt.fish
	if command -v "$shell" >/dev/null 2>&1; then
		holds "$shell reads its completion" "$shell" -n "$file"
	fi
done
if ! command -v bash >/dev/null 2>&1; then
	echo "skipped: bash is missing"
	exit 77
fi

cat >ask.bash <<'END'
. "$1"
program=$2
shift 2
[ "$(complete -p pipegantt)" = "complete -F _pipegantt pipegantt" ] || echo "not registered"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_pipegantt "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
END
# offers WHAT EXPECTED WORD...: after pipegantt and the words, the last of which is being typed?
offers() {
	_expected=$2
	_name=$1
	shift 2
	equal "$_name" "$_expected" \
		"$(bash --norc ask.bash "$completions/pipegantt.bash" "$PIPEGANTT" pipegantt "$@" 2>&1)"
}

families=$("$PIPEGANTT" --list-schedules | cut -f 1)
offers "--schedule: all families" "$families" --schedule ""
offers "-s: all families" "$families" -s ""
offers "--schedule= : all families" "$families" --schedule =
offers "--schedule=zb: some of them" "$(printf '%s\n' "$families" | grep '^zb')" --schedule = zb
offers "-s after a scenario" "$(printf '%s\n' "$families" | grep '^zb')" gpipe -s zb
offers "--color" "$(printf 'auto\nalways\nnever\nfew')" --color ""
offers "--color n" never --color n
offers "--hold" "$(printf 'stage\nmodel\ndefault')" --hold ""
offers "--split" "$(printf 'balanced\nuniform\ndefault')" --split ""
for option in -m -f -t --group --memory-limit --layers --weight-activation --backward-ratio; do
	offers "$option: one word" default "$option" ""
done
offers "--width has nothing to offer" "" --width ""
for format in $(bash --norc ask.bash "$completions/pipegantt.bash" "$PIPEGANTT" x --format ""); do
	works --format "$format"
done
holds "all formats are offered" [ "$format" = pytorch ]
offers "all options" "$("$PIPEGANTT" --help | grep -o '^  *\(-., \)\{0,1\}--[a-z-]*' | sed 's/.* //')" -
offers "--list" "$(printf '%s\n' --list-schedules --list-scenarios --list-lessons)" --list

: >own.ini
: >table.csv
: >notes.txt
mkdir folder
offers "a scenario of mine" own.ini ow
offers "a table" table.csv table
offers "a folder" folder/ fol
offers "nothing else" "" notes
offers "an installed scenario" "$("$PIPEGANTT" --list-scenarios | cut -f 1 | grep '^papers/z')" papers/z
offers "after an option without a value" "$("$PIPEGANTT" --list-scenarios | cut -f 1 | grep '^gp')" --print gp
offers "an installed lesson" "$("$PIPEGANTT" --list-lessons | cut -f 1 | grep '^1')" --lesson 1
offers "--output: any file" notes.txt -o no
touch '$(touch broken).ini'
offers "a name is not run" '$(touch broken).ini' '$'
holds "and nothing came of it" [ ! -e broken ]

finish
