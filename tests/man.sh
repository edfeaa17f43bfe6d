#!/bin/sh
# The manual page that was built names every option, key, family and scenario key, each as often as
# the program's lists do, and formats without a warning.
# lib.sh is not followed; awk has dollars of its own.
# shellcheck disable=SC1091,SC2154,SC2016
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

page=$BUILDDIR/assets/man/pipegantt.1
if [ ! -f "$page" ]; then
	echo "skipped: there is no $page"
	exit 77
fi

# section NAME: as plain text; fonts and escapes of roff taken out.
section() {
	awk -v name="$1" '/^[.]SH / { is_in = $0 == ".SH " name } is_in' "$page" |
		sed 's/\\f[BIR]//g; s/\\-/-/g; s/\\e/\\/g; s/\\(ha/^/g; s/\\(ti/~/g; s/\\(ga/`/g; s/\\(aq/'\''/g; s/^\\&//'
}
# titles NAME: the lines after .TP
titles() {
	section "$1" | awk 'is_title { print } { is_title = $0 == ".TP" }'
}

"$PIPEGANTT" --help | sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\1 \2/p' | sed 's/^ *//' >expected
titles OPTIONS | sed 's/\(--[a-z-]*\).*/\1/' >shown
same "options, in the order of --help" expected shown
holds "there are options" [ "$(grep -c '' shown)" -gt 20 ]

"$PIPEGANTT" --keys | awk -F '\t' '{ gsub(/ /, ", ", $1); print $1 "  (" $2 ")" }' >expected
titles KEYS >shown
same "keys, in the order of --keys" expected shown
"$PIPEGANTT" --keys | cut -f 3 >expected
section KEYS | awk 'is_help { print } { is_help = is_title; is_title = $0 == ".TP" }' >shown
same "what the keys do" expected shown

"$PIPEGANTT" --list-schedules | awk -F '\t' '{
	print $1 "  " $2
	print "Needs " $3 "."
	if ($4 != "-")
		print "Closed form: " $4 "."
	print "From: " $5 "." }' >expected
section SCHEDULES | sed -n '/^\.TP/,$p' | grep -v '^\.TP' >shown
same "families, in the order of --list-schedules" expected shown

# Each key of the page is one that the program knows in that section, and there are as many as there
# are rows for them.
section "SCENARIO FILES" >page
sed -n 's/^\[\([a-z]*\)\]$/[\1/p; s/^\([a-z_]*\) = .*/\1/p' page >keys
while read -r key; do
	case $key in
	"["*)
		name=$key]
		continue
		;;
	esac
	printf '%s\n%s = ?\n' "$name" "$key" >one.ini
	run --format ini one.ini
	equal "$name $key is known" "" "$(grep 'is no key of' err)"
done <keys
equal "scenario keys, as many as there are rows" \
	"$(grep -c '^PARAM(' "$SRCDIR/src/model/scenario.def")" "$(grep -c '^[a-z]' keys)"
equal "each once" "" "$(sort keys | uniq -d)"
holds "bounds and default" grep -q '^(from 1 to 4096; default 4)$' page
holds "bounds without a most" grep -q '^(above 0; default 2)$' page

for word in PIPEGANTT_ASSETS NO_COLOR TERM; do
	section ENVIRONMENT >page
	holds "environment: $word" grep -qw "$word" page
done
equal "exit statuses" "0 1 2 " "$(titles "EXIT STATUS" | sed 's/^\.B //' | tr '\n' ' ')"
holds "the version" grep -q "^\.TH PIPEGANTT 1 \"\" \"$("$PIPEGANTT" --version)\"" "$page"
equal "nothing left of the template" "" "$(grep '@[A-Z_]*@' "$page")"
holds "only ASCII" awk '/[^ -~\t]/ { exit 1 }' "$page"

if command -v groff >/dev/null 2>&1; then
	groff -man -Tutf8 -ww -k "$page" >formatted 2>warnings
	equal "groff: warnings" "" "$(cat warnings)"
	holds "groff: the page is there" grep -q 'reproduce published figures' formatted
elif command -v mandoc >/dev/null 2>&1; then
	equal "mandoc: warnings" "" "$(mandoc -T lint -W warning "$page" 2>&1)"
fi
if command -v man >/dev/null 2>&1 && man --version 2>/dev/null | grep -q '^man 2'; then
	man --warnings -E UTF-8 -l "$page" >formatted 2>warnings
	equal "man: warnings" "" "$(cat warnings)"
fi

finish
