#!/bin/sh
# make install puts the program and its files where configure said, they work from there, and make
# uninstall takes all of them away again.
# lib.sh is not followed; a makefile has dollars of its own.
# shellcheck disable=SC1091,SC2154,SC2016
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

if [ ! -f "$BUILDDIR/Makefile" ]; then
	echo "skipped: there is no Makefile in the build folder '$BUILDDIR'"
	exit 77
fi

# make GOAL...: into the folder root, with its output in make.log.
make_there() {
	if ${MAKE:-make} -C "$BUILDDIR" "$@" DESTDIR="$scratch/root" >make.log 2>&1; then
		pass
	else
		fail "make $*" "success" "$(tail -n 12 make.log)"
	fi
}

# What configure made of the folders.
printf '%s\n' 'print-%:' '	@echo "$($*)"' >print.mk
folder() {
	${MAKE:-make} -s --no-print-directory -C "$BUILDDIR" -f Makefile -f "$scratch/print.mk" "print-$1" \
		2>/dev/null | tail -n 1
}
bin=$(folder bindir)
data=$(folder pkgdatadir)
man=$(folder man1dir)
bash_completions=$(folder bashcompletiondir)
zsh_completions=$(folder zshcompletiondir)
fish_completions=$(folder fishcompletiondir)
case $bin$data in
/*/*) pass ;;
*) fail "bindir and pkgdatadir" "/... /..." "$bin $data" ;;
esac

make_there install
# Files that must be there, from what the sources have.
{
	printf '%s\n' "$bin/pipegantt"
	(cd "$SRCDIR/assets" && printf "$data/%s\n" scenarios/*.ini scenarios/papers/*.ini lessons/*.ini)
	printf '%s\n' "$man/pipegantt.1" "$bash_completions/pipegantt.bash" \
		"$zsh_completions/_pipegantt" "$fish_completions/pipegantt.fish"
} | LC_ALL=C sort >expected
(cd root && find . ! -type d | sed 's/^\.//' | LC_ALL=C sort) >installed
same "what is installed" expected installed
for file in "$SRCDIR"/assets/scenarios/*.ini "$SRCDIR"/assets/scenarios/papers/*.ini \
	"$SRCDIR"/assets/lessons/*.ini; do
	name=${file#"$SRCDIR/assets/"}
	same "$name as installed" "$file" "root$data/$name"
done
for file in pipegantt.bash _pipegantt pipegantt.fish; do
	for folder in "$bash_completions" "$zsh_completions" "$fish_completions"; do
		[ ! -e "root$folder/$file" ] ||
			same "$file as installed" "$SRCDIR/assets/completions/$file" "root$folder/$file"
	done
done
sed 's/\\://g; s/\\-/-/g' "root$man/pipegantt.1" >page
holds "the manual page names the folder of the scenarios" grep -q -F -e "$data/scenarios/papers/" page
equal "everybody may read it" "" "$(find root ! -type l ! -perm -a+r)"

installed=$scratch/root$bin/pipegantt
holds "the program can be run" [ -x "$installed" ]
equal "the program that was installed" "$("$PIPEGANTT" --version)" "$("$installed" --version)"
holds "the program knows where its files will be" grep -q -F -a -e "$data" "$installed"
"$PIPEGANTT" --format summary gpipe >expected 2>&1
(PIPEGANTT_ASSETS=$scratch/root$data "$installed" --format summary gpipe) >out 2>&1
same "an installed scenario by its name" expected out
holds "which is a result" grep -q '^makespan 33$' out
"$PIPEGANTT" --list-scenarios >expected
(PIPEGANTT_ASSETS=$scratch/root$data "$installed" --list-scenarios) >out
same "the list of the installed scenarios" expected out
if [ ! -e "$data" ]; then
	(
		unset PIPEGANTT_ASSETS
		"$installed" --format summary gpipe
	) >out 2>&1
	equal "without PIPEGANTT_ASSETS nothing is found here: status" 1 $?
	holds "and the message says so" grep -q '^pipegantt: gpipe: no such file' out
fi

make_there install
holds "installing twice does no harm" [ -x "$installed" ]
make_there uninstall
equal "what is left of it" "" "$(find root ! -type d)"

rm -rf root
make_there install-strip
holds "a stripped program works" [ "$("$installed" --version)" = "$("$PIPEGANTT" --version)" ]

finish
