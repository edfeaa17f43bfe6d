#!/bin/sh
# Holds the code to its layers, core <- model <- view <- app: a file includes its own layer and the
# ones to the left of it. First the sources are read, then the symbols of the built archives.
# Every finding is a line `FILE:LINE: what is wrong`. By hand: BUILDDIR=build tests/layers.sh
set -eu
LC_ALL=C
export LC_ALL

srcdir=${SRCDIR:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}
builddir=$(CDPATH='' cd -- "${BUILDDIR:-$srcdir/build}" && pwd)
nm=${NM:-nm}
cd "$srcdir"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
findings=$scratch/findings
words=$scratch/words
symbols=$scratch/symbols
: >"$findings"

complain() {
	printf '%s\n' "$*" >>"$findings"
}

# complain_at FILE NAME MESSAGE: with the first line of the file that has the name, not in a comment.
complain_at() {
	line=$(grep -nw -e "$2" "$1" 2>/dev/null | grep -v '^[0-9]*:[[:space:]]*[/*]' |
		head -n 1 | cut -d: -f1)
	complain "$1:${line:+$line:} $3"
}

# ---- what the sources say ----

for layer in core model view app; do
	set -- src/"$layer"/*.c
	[ -e "$1" ] || complain "src/$layer: no .c file"
done
# No file name here has a blank in it, or the include paths would not work either.
# shellcheck disable=SC2046
awk '
BEGIN {
	n = split("core model view app", order, " ")
	for (i = 1; i <= n; i++)
		rank[order[i]] = i
	may["core"] = "core"
	may["model"] = "core and model"
	may["view"] = "core, model and view"
	split("stdio wchar wctype locale langinfo unistd fcntl dirent " \
		"time signal errno setjmp pthread threads", word, " ")
	for (i in word)
		kept_from_core[word[i] ".h"] = 1
}

function complain(what) {
	print FILENAME ":" FNR ": " what
}

function check_quoted(path,   part) {
	if (path ~ /\.c$/) {
		complain("includes a .c file, \"" path "\"")
	} else if (path ~ /\.\./) {
		complain("includes \"" path "\": spell the layer, not the way there")
	} else if (split(path, part, "/") == 1) {
		if (path !~ /\.def$/)
			complain("includes \"" path "\" without its layer (\"" layer "/" path "\"?)")
	} else if (!(part[1] in rank)) {
		complain("includes \"" path "\", and " part[1] " is no layer")
	} else if (rank[part[1]] > rank[layer]) {
		complain("includes \"" path "\", but " layer " may include only " may[layer])
	}
}

function check_system(path) {
	if (path ~ /^(core|model|view|app)\//)
		complain("includes <" path ">: the headers of a layer go in quotes")
	if (path ~ /curses/ || path ~ /^(term|panel|menu|form)\.h$/) {
		if (FILENAME != "src/app/tui.c")
			complain("includes <" path ">, which only src/app/tui.c may")
		else if (path ~ /curses/)
			has_curses = 1
	}
	if (path ~ /^ini\.h$/ && layer != "app")
		complain("includes <" path ">, which only app may")
	if (layer == "core" && (path in kept_from_core || path ~ /^sys\//))
		complain("includes <" path ">: core knows no streams, files, clocks, locale or threads")
}

FNR == 1 {
	split(FILENAME, piece, "/")
	layer = piece[2]
	block = 0
}

# Functions, types and tables open with a brace at the end of a line, close with one at the start.
/\{[ \t]*$/ && !block && !/^([ \t]*[\/*#]|extern)/ { block = FNR }
/^\}/ { block = 0 }

!/^[ \t]*#/ { next }

{
	line = $0
	sub(/^[ \t]*#[ \t]*/, "", line)
}

line ~ /^include/ {
	sub(/^include[ \t]*/, "", line)
	end = index(substr(line, 2), line ~ /^</ ? ">" : "\"")
	if (line ~ /^["<]/ && end) {
		path = substr(line, 2, end - 1)
		if (line ~ /^</)
			check_system(path)
		else
			check_quoted(path)
	} else {
		complain("includes by macro, which nobody can check: " line)
	}
}

line ~ /^if[ \t(]+0[ \t)]*($|\/)/ { complain("has #if 0: delete what is not used") }
line ~ /^(el)?if/ && block { complain("has #" line " inside the braces opened in line " block) }

END {
	if (!has_curses)
		print "src/app/tui.c: does not include curses; who does?"
}' $(find src -name '*.[ch]' -o -name '*.def' | sort) >>"$findings"

# What is on disk and in no list of Makefile.am works here but is missing from a release. A program
# of one file is listed without its `.c`.
sed '/^#/d; s/\\$//' Makefile.am | tr -s '[:space:]' '[\n*]' >"$words"
for file in $(find src -name '*.[ch]' -o -name '*.def') tests/*.[ch] tests/*.sh tests/screens/* \
	assets/scenarios/*.ini; do
	case $file in *.log | *.trs) continue ;; esac
	[ ! -e "$file" ] || grep -qxF -e "$file" -e "${file%.c}" "$words" ||
		complain "$file: is in no list of Makefile.am"
done

# ---- what the archives say ----

# Writes `member section class name` for each symbol of an archive, without what compilers add for
# sanitizers, coverage and hardening.
list_symbols() {
	"$nm" --format=sysv "$1" | awk -F '[ \t]*[|][ \t]*' '
		NF < 7 {
			if (match($0, /\[[^]]*\.o\]/)) {
				member = substr($0, RSTART + 1, RLENGTH - 4)
				sub(/^libpipegantt_[a-z]+_a-/, "", member)
			}
			next
		}
		$1 == "Name" { next }
		{
			name = $1
			if (name ~ /^_*((start|stop)___)?(asan|ubsan|odr_asan|sanitizer|sancov|gcov|llvm|prof|covrec)[._0-9]/ ||
			    name ~ /^(\.?L|__unnamed|_GLOBAL_OFFSET_TABLE_|__stack_chk_(fail|guard)$)/)
				next
			print member, $7, $3, name
		}' >"$symbols"
	[ -s "$symbols" ] || complain "$1: nm finds no symbols"
}

# undefined_symbols: `member name` of what the archive listed last needs from elsewhere.
undefined_symbols() {
	awk '$3 == "U" || $3 == "w" { used[$1 " " $4] = $4; next }
		{ own[$4] = 1 }
		END { for (use in used) if (!(used[use] in own)) print use }' "$symbols" | sort
}

for layer in core model view app; do
	archive=$builddir/libpipegantt-$layer.a
	if [ ! -e "$archive" ]; then
		complain "$archive: not built"
		continue
	fi
	list_symbols "$archive"

	# Tables of pointers are in .data.rel.ro: written by the loader, constant for the program.
	awk '$3 ~ /^[bBdDgGsSC]$/ && $2 !~ /^\.data\.rel\.ro/ { print $1, $4 }' "$symbols" |
		while read -r member name; do
			name=${name%.[0-9]*} # a variable of a function: gcc says name.1, clang function.name
			name=${name##*.}
			complain_at "src/$layer/$member.c" "$name" \
				"$name is a writable variable that outlives calls; pass it, or make it const"
		done

	undefined_symbols | while read -r member symbol; do
		file=src/$layer/$member.c
		name=${symbol#__}
		name=${name%_chk} # printf, for __printf_chk
		case $layer:$symbol in
		# The compiler's own arithmetic (__udivti3, __popcountdi2 ...) is no library.
		core:__*[dst][ifc][234]) ;;
		core:memcpy | core:memset | core:memmove | core:memcmp | core:strcmp | core:strlen) ;;
		core:bcmp | core:__mem*_chk | core:__str*_chk) ;; # what compilers make of these
		core:*)
			complain_at "$file" "$name" \
				"core calls $name, which is not among memcpy memset memmove memcmp strcmp strlen"
			;;
		*:exit | *:_exit | *:_Exit | *:quick_exit)
			complain_at "$file" "$name" "calls $name, which only main.c and tui.c may"
			;;
		app:* | *:*snprintf*) ;;
		*:*open | *:*open64 | *:*printf* | *:puts | *:putchar | *:std[io]* | *:stderr | *:getenv | *:setlocale)
			complain_at "$file" "$name" "$layer uses $name, but knows no files, terminal or environment"
			;;
		esac
	done
done

if [ -s "$findings" ]; then
	cat "$findings"
	exit 1
fi
