#!/bin/sh
# What configure found the compiler able to do against mistakes has to be seen in the program.
# lib.sh is not followed; its variables are used here.
# shellcheck disable=SC1091,SC2154
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }
readelf -h "$PIPEGANTT" >/dev/null 2>&1 || { echo "skipped: not an ELF program"; exit 77; }
[ "$SANITIZE" != yes ] || { echo "skipped: a sanitizer does without"; exit 77; }
[ -f "$BUILDDIR/Makefile" ] || { echo "skipped: no Makefile"; exit 77; }

flags=$(sed -n 's/^\(PG_C\{0,1\}P\{0,2\}FLAGS\|PG_LDFLAGS\|CFLAGS\) = / /p' "$BUILDDIR/Makefile" | tr '\n' ' ')

# expect FLAG WHAT PATTERN READELF-OPTION
expect() {
	case $flags in
	*" $1 "*)
		if readelf -W "$4" "$PIPEGANTT" | grep -q -e "$3"; then
			pass
		else
			fail "built with $1" "$2" "$(readelf -W "$4" "$PIPEGANTT" | head -n 30)"
		fi
		;;
	*) echo "left out: not built with $1" ;;
	esac
}

expect -D_FORTIFY_SOURCE=3 "checked string functions" '_chk@' --symbols
expect -fstack-protector-strong "a guard of the stack" '__stack_chk_fail' --symbols
expect -pie "a program that lies anywhere" 'DYN ' --file-header
expect '-Wl,-z,relro' "a read-only table of symbols" 'GNU_RELRO' --program-headers
expect '-Wl,-z,now' "all symbols resolved at the start" 'BIND_NOW\|Flags:.*NOW' --dynamic
if readelf -W --program-headers "$PIPEGANTT" | grep 'GNU_STACK' | grep -q 'RWE'; then
	fail "the stack" "no code on it" "$(readelf -W --program-headers "$PIPEGANTT" | grep GNU_STACK)"
else
	pass
fi
if readelf -W --program-headers "$PIPEGANTT" | grep 'LOAD' | grep -q 'RWE'; then
	fail "memory" "nothing that can be written and run" \
		"$(readelf -W --program-headers "$PIPEGANTT" | grep LOAD)"
else
	pass
fi
# No shell and no other program is run: what would do it is not even linked.
if readelf -W --symbols "$PIPEGANTT" | grep -E 'UND (system|popen|exec[lv][pe]*|posix_spawnp?|fork|vfork|gets|mktemp|tmpnam)@'; then
	fail "functions" "none that runs a program or fills without bounds" "see above"
else
	pass
fi

finish
