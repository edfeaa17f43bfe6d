#!/bin/sh
# Writes the manual page to standard output: the template beside this script, with its lines
# `@OPTIONS@`, `@KEYS@`, `@FAMILIES@` and `@SCENARIO_KEYS@` replaced by what the program itself lists,
# so that no list is kept twice. Needs nothing but sh, sed and awk.
#
#	generate.sh PROGRAM SOURCE-FOLDER DATA-FOLDER
# The awk programs have dollars of their own.
# shellcheck disable=SC2016
set -eu
LC_ALL=C
export LC_ALL

program=$1
source=$2
data=$3
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT

# What all the awk programs share: text as roff has to read it.
roff='
function roff(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/\^/, "\\(ha", text)
	gsub(/~/, "\\(ti", text)
	gsub(/`/, "\\(ga", text)
	gsub(/\047/, "\\(aq", text)
	return text ~ /^[.]/ ? "\\&" text : text
}
'

# list LIST NAME PROGRAM: what the program says of the list, turned into roff. An awk that reads the
# program through a pipe would hide its failing.
list() {
	"$program" "$1" >"$parts/list" </dev/null
	awk -F '\t' "$roff$3" "$parts/list" >"$parts/$2"
	[ -s "$parts/$2" ] || {
		echo "generate.sh: $1 gives nothing" >&2
		exit 1
	}
}

# `  -s, --schedule NAME   help`, where a long left side has its help on the next line.
list --help OPTIONS '
function flush() {
	if (left == "")
		return
	print ".TP"
	count = split(left, word, " ")
	line = "\\fB" roff(word[1]) "\\fR"
	for (i = 2; i <= count; i++)
		line = line " " (word[i] ~ /^-/ ? "\\fB" roff(word[i]) "\\fR" : "\\fI" roff(word[i]) "\\fR")
	gsub(/,\\fR/, "\\fR,", line)
	print line
	print roff(help)
	left = ""
}
/^ +-/ {
	flush()
	left = $0
	sub(/^ +/, "", left)
	help = ""
	if (match(left, /   */)) {
		help = substr(left, RSTART + RLENGTH)
		left = substr(left, 1, RSTART - 1)
	}
	next
}
left != "" && /^ +[^ ]/ {
	sub(/^ +/, "")
	help = help (help == "" ? "" : " ") $0
	next
}
{ flush() }
END { flush() }'

list --keys KEYS '
{
	print ".TP"
	count = split($1, key, " ")
	line = ""
	for (i = 1; i <= count; i++)
		line = line (i > 1 ? ", " : "") "\\fB" roff(key[i]) "\\fR"
	print line "  (" roff($2) ")"
	print roff($3)
}'

list --list-schedules FAMILIES '
{
	print ".TP"
	print "\\fB" roff($1) "\\fR  " roff($2)
	print "Needs " roff($3) "."
	if ($4 != "-")
		print "Closed form: " roff($4) "."
	print "From: " roff($5) "."
}'

# Rows of scenario.def: PARAM(id, kind, section, key, letter, option, metavar, least, most, fallback,
# absent, help), with commas in strings and line breaks anywhere.
awk "$roff"'
function field(   value) {
	sub(/^[ ,\n]+/, "", row)
	if (row ~ /^"/) {
		match(row, /^"[^"]*"/)
		value = substr(row, 2, RLENGTH - 2)
	} else {
		match(row, /^([^,(]|[(][^)]*[)])*/)
		value = substr(row, 1, RLENGTH)
	}
	row = substr(row, RLENGTH + 1)
	return value
}
function bounds(least, most) {
	if (most == "0" || most == "")
		return ""
	if (least ~ /^ABOVE/) {
		gsub(/^ABOVE[(]|[)]$/, "", least)
		least = "above " least
	} else {
		least = "from " least
	}
	if (most == "1e300")
		return least == "from 0" ? "not negative" : least
	return least " to " most + 0
}
/^PARAM[(]/ { is_row = 1 }
is_row { text = text " " $0 }
END {
	count = split(text, rows, /PARAM[(]/)
	for (i = 2; i <= count; i++) {
		row = rows[i]
		for (j = 1; j <= 12; j++)
			value[j] = field()
		if (value[10] == "")
			value[10] = value[11]
		if (value[3] != section) {
			section = value[3]
			print ".TP"
			print "\\fB[" roff(section) "]\\fR"
			print ".RS"
		}
		print ".TP"
		print "\\fB" roff(value[4]) "\\fR = \\fI" roff(value[7]) "\\fR"
		print roff(value[12])
		limits = bounds(value[8], value[9])
		if (limits != "")
			print "(" roff(limits) (value[10] != "" ? "; default " roff(value[10]) : "") ")"
		else if (value[10] != "")
			print "(default " roff(value[10]) ")"
		split(rows[i + 1], after, ",")
		gsub(/[ "]/, "", after[3])
		if (i == count || after[3] != section)
			print ".RE"
	}
}' "$source/src/model/scenario.def" >"$parts/SCENARIO_KEYS"

version=$("$program" --version </dev/null)
awk -v parts="$parts" -v version="$version" -v data="$data" "$roff"'
BEGIN {
	# A long path may be broken after a slash.
	data = roff(data)
	gsub("/", "/\\:", data)
}
/^@[A-Z_]+@$/ {
	file = parts "/" substr($0, 2, length($0) - 2)
	lines = 0
	while ((getline line < file) > 0) {
		print line
		lines++
	}
	if (lines == 0) {
		print "generate.sh: nothing for " $0 >"/dev/stderr"
		exit 1
	}
	next
}
/^[.]\\" template:/ { next }
{
	gsub(/@VERSION@/, version)
	gsub(/@DATA@/, data)
	print
}' "$source/assets/man/pipegantt.1.in"
