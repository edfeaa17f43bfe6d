#!/bin/sh
# The README's key table and option list are the program's own.
set -u
failed=0
readme=$SRCDIR/README.md

fail() {
    echo "FAIL: $1"
    failed=1
}

between() { # the lines of the README between two markers
    sed -n "/<!-- $1: begin -->/,/<!-- $1: end -->/p" "$readme" | sed '1d;$d'
}

table=$("$PIPEGANTT" --keys | awk -F '\t' '
    BEGIN { print "| keys | command | does |"; print "| --- | --- | --- |" }
    {
        count = split($1, key, " ")
        shown = ""
        for (i = 1; i <= count; i++)
            shown = shown (i > 1 ? " " : "") "`" key[i] "`"
        gsub(/\|/, "\\|", $3)
        print "| " shown " | " $2 " | " $3 " |"
    }')
[ "$(between keys)" = "$table" ] || fail "the key table of README.md is not what --keys says"

help=$(printf '```\n%s\n```' "$("$PIPEGANTT" --help)")
[ "$(between help)" = "$help" ] || fail "the option list of README.md is not what --help says"

families=$("$PIPEGANTT" --list-schedules | awk -F '\t' '
    BEGIN { print "| name | title | needs | closed form | source |"; print "| --- | --- | --- | --- | --- |" }
    { print "| `" $1 "` | " $2 " | " $3 " | " $4 " | " $5 " |" }')
[ "$(between families)" = "$families" ] || fail "the families of README.md are not those of --list-schedules"

# Every figure that lessons can name is explained, and the example of a lesson is one.
sed -n 's/^FIGURE([A-Z_]*, "\([a-z_]*\)".*/\1/p' "$SRCDIR/src/model/figure.def" | while read -r figure; do
    between figures | grep -q "\`$figure\( N\)\{0,1\}\`" || echo "$figure"
done | grep . && fail "the table of figures of README.md lacks these"
example=$(mktemp -d)
between lesson | sed '1d;$d' >"$example/lesson.ini"
"$PIPEGANTT" --lesson --print "$example" 2>&1 | grep -q '^Question: Make the bubble' ||
    fail "the example of a lesson in README.md: $("$PIPEGANTT" --lesson --print "$example" 2>&1 | tail -1)"
rm -rf "$example"

# The map names every source file.
for file in "$SRCDIR"/src/*/*.c "$SRCDIR"/src/*/*.def; do
    name=${file##*/}
    grep -q "^| .*$name" "$readme" || fail "the architecture map of README.md lacks $name"
done

# The two commands stand at the top, the picture exists.
head -20 "$readme" | grep -q '^\./bootstrap run' || fail "./bootstrap run is not at the top"
head -20 "$readme" | grep -q '^\./bootstrap check' || fail "./bootstrap check is not at the top"
picture=$(sed -n 's/.*](\(assets\/[^)]*\)).*/\1/p' "$readme" | head -1)
[ -s "$SRCDIR/$picture" ] || fail "the picture $picture is missing"

exit $failed
