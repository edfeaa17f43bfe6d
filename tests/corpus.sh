#!/bin/sh
# Gives every input of tests/corpus/ to its fuzz harness: seeds, and what fuzzers once found. A harness
# aborts where something does not hold. By hand: BUILDDIR=build SRCDIR=. sh tests/corpus.sh
set -u
failed=0

for folder in "$SRCDIR"/tests/corpus/*/; do
    folder=${folder%/}
    harness=${folder##*/}
    # An input that hangs is a failure as well.
    if ! FUZZ_TELL=yes "$BUILDDIR/tests/fuzz/replay_$harness" "$folder" >corpus.$$.out 2>&1; then
        echo "FAIL: $harness; the last file named is the one:"
        tail -n 30 corpus.$$.out
        failed=1
    else
        echo "$harness: $(tail -n 1 corpus.$$.out)"
    fi
done
rm -f corpus.$$.out

# Every harness that is built has a corpus.
for program in "$BUILDDIR"/tests/fuzz/replay_*; do
    harness=${program##*/replay_}
    case $harness in *.*) continue ;; esac
    [ -d "$SRCDIR/tests/corpus/$harness" ] || { echo "FAIL: $harness has no corpus"; failed=1; }
done
exit $failed
