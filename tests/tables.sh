#!/bin/sh
# Schedule tables, through the whole program: what opens, what is refused and where, what comes out
# again, and every way of naming one. What is shown of a table is judged here by the rules of a
# pipeline alone, from the operation list and the table's own cells, so that neither the reader nor
# the clock of the program is taken at its word.
# lib.sh is not followed; awk has dollars of its own; lists of options and files are words.
# shellcheck disable=SC1091,SC2154,SC2016,SC2086
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

# The work of a table as "device stage micro-batch kind" in order; pairs as their two halves.
cells() {
	tr -d '\r"' <"$1" | awk '{
		gsub(/[ ()]|OVERLAP_F_B/, "")
		n = split($0, cell, /[,;]/)
		for (i = 1; i <= n; i++)
			if (match(cell[i], /^[0-9]+[FBIW][0-9]+$/)) {
				match(cell[i], /[FBIW]/)
				print NR - 1, substr(cell[i], 1, RSTART - 1), substr(cell[i], RSTART + 1), \
					substr(cell[i], RSTART, 1)
			}
	}'
}

# The complaint about an operation list (ours) as a run of a table (a file of cells); nothing when
# there is none: the same operations, in each row's order, one at a time but for pairs, each behind
# what it needs.
unsound() {
	awk -F '[, ]' '
	FNR == NR { row[$1] = row[$1] " " $2 $4 $3; wanted++; next }
	FNR == 1 { next }
	{
		name = $2 $4 $3
		if (name in start)
			print name " is there twice"
		start[name] = $5; end[name] = $6; device[name] = $1; got++
		stage = $2 > stage ? $2 : stage
	}
	END {
		if (got != wanted)
			print got " operations for " wanted " cells"
		for (d in row) {
			n = split(substr(row[d], 2), order, " ")
			before = 0; begin = -1
			for (i = 1; i <= n; i++) {
				name = order[i]
				if (!(name in start) || device[name] != d)
					print name " is not on device " d
				else if (start[name] < before - 1e-9 && start[name] != begin)
					print name " begins before what is in front of it has ended"
				before = end[name]; begin = start[name]
			}
		}
		for (name in start) {
			match(name, /[FBIW]/)
			s = substr(name, 1, RSTART - 1); k = substr(name, RSTART, 1)
			m = substr(name, RSTART + 1)
			needs = k == "F" ? (s - 1) "F" m : k == "W" ? s "I" m : s "F" m
			if ((k != "F" || s > 0) && !(needs in end && end[needs] <= start[name] + 1e-9))
				print name " does not follow " needs
			if (k == "B" || k == "I") {
				later = (s + 1) "B" m in end ? (s + 1) "B" m : (s + 1) "I" m
				if (s < stage && !(later in end && end[later] <= start[name] + 1e-9))
					print name " does not follow " later
			}
		}
	}' "$1" "$2" | sort | head -n 3
}

# sound WHAT TABLE OPTION...: it opens, and what is shown is a run of it.
sound() {
	_what=$1
	_table=$2
	shift 2
	works --format csv "$_table" "$@"
	cells "$_table" >cells.txt
	equal "$_what: a feasible order" "" "$(unsound cells.txt out)"
}

# ---- tables that open ----

# Two devices, two stages each, as a loop; written by hand.
cat >loop.csv <<'END'
0F0,0F1,2F0,2F1,2B0,,2B1,0B0,0B1
,1F0,1F1,3F0,3B0,3F1,3B1,1B0,1B1
END
# The same with what has to be sent, received and gathered.
cat >comms.csv <<'END'
0UNSHARD,0F0,0SEND_F0,0F1,0SEND_F1,2UNSHARD,2RECV_F0,2F0,2SEND_F0,2RECV_F1,2F1,2SEND_F1,2RECV_B0,2B0,2SEND_B0,2RECV_B1,2B1,2SEND_B1,2RESHARD,0RECV_B0,0B0,0RECV_B1,0B1,0RESHARD,0REDUCE_GRAD
1RECV_F0,1F0,1SEND_F0,1RECV_F1,1F1,1SEND_F1,3RECV_F0,3F0,3B0,3SEND_B0,3RECV_F1,3F1,3B1,3SEND_B1,1RECV_B0,1B0,1SEND_B0,1RECV_B1,1B1,1SEND_B1
END
# A step of 1F1B on two devices, a backward split in two, a pair, and inference.
printf '0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n' >plain.csv
printf '0F0,0F1,0I0,0W0,0I1,0W1\n1F0,1I0,1F1,1I1,1W0,1W1\n' >split.csv
printf '0F0,3F0,(0F1;3B0)OVERLAP_F_B,3F1,0B0,3B1,0B1\n1F0,2F0,1F1,2B0,2F1,1B0,2B1,1B1\n' >pair.csv
printf '0F0,0F1,0F2\n1F0,1F1,1F2\n' >inference.csv

for table in loop comms plain split pair inference; do
	sound "$table.csv" $table.csv
	sound "$table.csv with transfer" $table.csv -t 0.25
	sound "$table.csv, unequal costs" $table.csv -f 1,3 -b 5,2
done
works --format summary comms.csv
equal "P, M and V of comms.csv" "2 2 2" "$(value stages) $(value micro_batches) $(value chunks)"
works --format json pair.csv
equal "the pair" 2 "$(grep -o '"fused":true' out | grep -c '')"

# By hand: (M+P-1)(F+B) = 9; and with the cost of the transfers.
works --format summary plain.csv
equal "makespan of plain.csv" 9 "$(value makespan)"
equal "peak stash of plain.csv" "2 1" "$(value stage_peak_stash)"
works --format summary inference.csv
equal "makespan of inference.csv" 4 "$(value makespan)"
works --format csv plain.csv
cut -d , -f 1-6 out >table.ops
works --format csv -s 1f1b -p 2 -m 2
same "plain.csv is 1F1B, operation for operation" table.ops out

# What is written is the same whatever lies between the cells, and whatever is only sent.
works --format pytorch loop.csv
mv out loop.out
equal "lines end as PyTorch ends them" 2 "$(grep -c "$(printf '\r')$" loop.out)"
tr -d '\r' <loop.out >lf.csv
sed 's/,/ , ,,/g; s/$/,,/' lf.csv >blanks.csv
sed 's/\([^,]*\)/"\1"/g' lf.csv >quotes.csv
(printf '\357\273\277' && cat loop.out && printf '\r\n\r\n') >marked.csv
printf '%s' "$(cat lf.csv)" >unended.csv
for form in lf blanks quotes marked unended comms; do
	works --format pytorch $form.csv
	same "$form.csv is loop.csv" loop.out out
done
works --format pytorch - <loop.out
same "from standard input" loop.out out

# Files from before the kinds had their present names say so, and are what they were.
printf '0F0,0F1,0B0,0W0,0BW1\n' >old.csv
printf '0F0,0F1,0I0,0W0,0B1\r\n' >new.out
for how in old.csv "-s file:old.csv"; do
	"$PIPEGANTT" --format pytorch $how >out 2>err
	equal "status of $how" 0 $?
	same "old names in $how" new.out out
	holds "$how is explained" grep -q '^pipegantt: .*old table.*B was read as I.*BW as B' err
done

# ---- what is refused, and where ----

# A table, its rows one after the other with / between them; row:cell; words of the message. Of the
# table as a whole there is no row.
while IFS='|' read -r rows place words; do
	printf '%s' "$rows" | tr / '\n' >bad.csv
	refuses 2 "bad.csv${place:+:$place}" "$words" bad.csv
	refuses 2 "bad.csv${place:+:$place}" "$words" -s file:bad.csv
done <<'END'
||empty
,,/||no action
0F0,0X0|1:2|0X0*no known type
0F0,0f0|1:2|no known type
0F0,F0|1:2|'F0' is no action
0F0,-1F0|1:2|is no action
0F0,0B|1:2|no micro-batch
0F0,0B0xyz|1:2|goes on with 'xyz'
0F0,0UNSHARD1|1:2|has a micro-batch
0F0,"0B0|1:2|quote
0F0,(0F1;0B0)|1:2|is no pair
0F0,(0B0;0F1)OVERLAP_F_B|1:2|is no pair
300000F0|1:1|stage that is too large
0F1000000|1:1|micro-batch that is too large
0F0,0B0/0F1,0B1|2:1|0F1*stage 0 on device 0*one device
0F0,0B0/2F0,2B0|2:1|stage 1 has no action
0F0,0B0//1F0,1B0|2:1|nothing to do
0F0,0F0,0B0|1:2|0F0 is there twice: first in row 1, cell 1
0F0,0B0,0I0|1:3|beside 0B0 (row 1, cell 2)
0F0,0F1,0B0|1:2|0B1 is missing beside 0F1
0F0,0B0,0B1|1:3|0F1 is missing beside 0B1
0F0,0I0|1:2|0W0 is missing
0F0,0F1,0I0,0W0,0W1|1:5|0I1 is missing
0F0,0B0/1F0,1B0,0F1|2:3|one device
0B0,0F0|1:1|0B0 stands before 0F0 (cell 2)
0F0,0W0,0I0|1:2|0W0 stands before 0I0
0F0,0SEND_F0,0B0/1F0,1B0|1:2|1RECV_F0 is missing on device 1
0F0,0B0,0SEND_F0|1:3|no partner
0F0,0B0,1SEND_F0|1:3|no stage
0F0,0SEND_F0,0B0/1F0,1RECV_F0,1B0|2:1|before 1RECV_F0
0F0,1F0,1F1,0F1,0B0,0B1,1B0,1B1|1:3|never ends: device 0 waits*1F1, which needs 0F1 (row 1, cell 4)
0F0,0F1,0I0,0W0,0BW1|1:5|old name
END
printf '0F0,0F1\n0\0F0' >bad.csv
refuses 2 bad.csv:2:1 NUL bad.csv
refuses 1 none.csv "No such file" -s file:none.csv
refuses 1 . "is a directory" -s file:.
refuses 2 --schedule "name of a table" -s file:
refuses 2 --schedule "file:NAME" -s nonsense
refuses 2 --stages "table plain.csv fixes P=2" -s file:plain.csv -p 3
refuses 2 --micro-batches "table plain.csv fixes M=2" -s file:plain.csv -m 3
refuses 2 --schedule "a table or --schedule, not both" plain.csv -s gpipe

# ---- every slip of the hand ----

# slips TABLE: one line for each table that is one token away: the cell's row and number, the word
# that it had, and the rows with / between them.
slips() {
	awk -F , '
	function put(what,   i, j, text, line) {
		for (i = 1; i <= NR; i++) {
			line = ""
			for (j = 1; j <= count[i]; j++)
				if (cell[i, j] != "")
					line = line (line == "" ? "" : ",") cell[i, j]
			text = text (i > 1 ? "/" : "") line
		}
		print r "|" c "|" what "|" was "|" text
	}
	{ count[NR] = NF; for (i = 1; i <= NF; i++) cell[NR, i] = $i }
	END {
		for (r = 1; r <= NR; r++)
			for (c = 1; c <= count[r]; c++) {
				was = cell[r, c]
				cell[r, c] = ""; put("deleted")
				cell[r, c] = was "," was; put("doubled")
				for (k = 1; k <= 4; k++) {
					changed = was
					kind = substr("FBIW", k, 1)
					sub(/[FBIW]/, kind, changed)
					cell[r, c] = changed
					if (changed != was)
						put("made " kind)
				}
				cell[r, c] = was
				if (c < count[r]) {
					cell[r, c] = cell[r, c + 1]; cell[r, c + 1] = was; put("swapped")
					cell[r, c + 1] = cell[r, c]; cell[r, c] = was
				}
				for (o = 1; o <= NR; o++)
					if (o != r) {
						kept = cell[o, 1]
						cell[r, c] = ""; cell[o, 1] = was "," kept; put("moved to row " o)
						cell[r, c] = was; cell[o, 1] = kept
					}
			}
	}' "$1"
}

# A slip is refused where it was made, which is at the cell or at one that misses it by name, or the
# table is another that runs: then it is shown as it stands.
for table in plain split; do
	slips $table.csv >slips.txt
	refused=0
	shown=0
	while IFS='|' read -r row cell what was rows; do
		printf '%s\n' "$rows" | tr / '\n' >slip.csv
		"$PIPEGANTT" --format csv slip.csv >out 2>err </dev/null
		case $? in
		0)
			cells slip.csv >cells.txt
			equal "$was $what in $table.csv is feasible" "" "$(unsound cells.txt out)"
			shown=$((shown + 1))
			;;
		2)
			now=$(printf '%s' "$was" | sed "s/[FBIW]/${what#made }/")
			[ "$what" != doubled ] || cell=$((cell + 1))
			if grep -q "^pipegantt: slip.csv:$row:$cell: " err; then
				pass
			elif [ "$what" != doubled ] && grep -q "[ :]\($was\|$now\)\([ :,(]\|\$\)" err; then
				pass
			else
				fail "$was (row $row, cell $cell) $what" "a message about it" "$(cat err): $rows"
			fi
			refused=$((refused + 1))
			;;
		*) fail "$was $what in $table.csv" "exit status 0 or 2" "$(cat err)" ;;
		esac
	done <slips.txt
	echo "$table.csv: $refused slips refused, $shown shown as another order"
	holds "slips of $table.csv are refused and shown" [ $refused -gt 20 -a $shown -gt 0 ]
done

# ---- there and back ----

tables=0
"$PIPEGANTT" --list-schedules | cut -f 1 >families.txt
while read -r family; do
	for counts in "-p 4 -m 8 -c 2" "-p 2 -m 4 -c 2" "-p 3 -m 7 -c 1" "-p 1 -m 2 -c 1" "-p 4 -m 8 -c 3"; do
		"$PIPEGANTT" --format pytorch -s "$family" $counts >first.csv 2>/dev/null </dev/null ||
			continue # it has no table, or cannot do these
		tables=$((tables + 1))
		sound "$family $counts as a table" first.csv
		cut -d , -f 1-6 out >table.ops
		works --format pytorch first.csv
		same "$family $counts there and back" first.csv out
		works --format csv -s "$family" $counts
		cut -d , -f 1-6 out >family.ops
		same "$family $counts is its table, operation for operation" family.ops table.ops
	done
done <families.txt
holds "most families have tables" [ $tables -gt 40 ]
echo "$tables tables of families"
for family in dualpipe chimera; do
	refuses 2 --format "no table for $family" -s $family --format pytorch
done

# ---- named by a scenario and on the command line ----

mkdir sub
cp plain.csv sub/near.csv
cat >sub/run.ini <<'END'
[scenario]
title = My run
[pipeline]
schedule = file:near.csv
[costs]
forward = 1, 2
backward = 2, 3
END
sed 's/near/..\/plain/' sub/run.ini >sub/up.ini
sed "s|near|$scratch/plain|" sub/run.ini >sub/root.ini
sed 's/^schedule.*/stages = 2/' sub/run.ini >sub/none.ini
works --format csv plain.csv -f 1,2 -b 2,3
mv out expected
for how in "sub/run.ini" "sub/up.ini" "sub/root.ini" "sub/none.ini -s file:plain.csv" \
	"sub/none.ini -s file:sub/near.csv" "-s file:$scratch/plain.csv -f 1,2 -b 2,3" \
	"sub/none.ini --schedule=file:./plain.csv"; do
	works --format csv $how
	same "$how" expected out
done
sed 's/near/none/' sub/run.ini >sub/lost.ini
refuses 2 sub/lost.ini:4 "'none.csv' cannot be opened" sub/lost.ini
printf '0F0,0B0x\n' >sub/near.csv
refuses 2 sub/near.csv:1:2 "goes on with 'x'" sub/run.ini
cp plain.csv sub/near.csv
sed 's/^schedule/stages = 3\n&/' sub/run.ini >sub/three.ini
refuses 2 sub/three.ini:4 "table near.csv fixes P=2" sub/three.ini
# A scenario that is written names the table from its own folder.
works --format ini -o sub/saved.ini -s file:plain.csv -t 0.5
holds "the table as seen from sub/" grep -q '^schedule *= *file:\.\./plain.csv$' sub/saved.ini
works --format csv sub/saved.ini
mv out saved.ops
works --format csv plain.csv -t 0.5
same "a saved scenario is the same" saved.ops out
# The lists of the scenario follow the table's P as they follow -p.
cat >four.ini <<'END'
[pipeline]
stages = 4
[costs]
forward = 1, 2, 3, 4
END
works --format json four.ini -p 2
equal "forward of four.ini -p 2" 1,2 "$(member forward)"
works --format json four.ini -s file:plain.csv
equal "forward under a table of two devices" 1,2 "$(member forward)"
works --format json four.ini --hold model -s file:plain.csv
equal "forward under it when the model's cost is held" 3,7 "$(member forward)"
works --format json four.ini -s file:loop.csv
equal "forward under a table with chunks" 0.5,1,0.5,1 "$(member forward)"
# Its name stands in the title, the scenario's at the other end.
works --print sub/run.ini
holds "the title of a scenario with a table" \
	[ -n "$(sed -n '1{/^ *Table near\.csv  P=2  M=2 .*My run$/p;}' out)" ]
works --print plain.csv
holds "the title of a table by itself" [ -n "$(sed -n '1{/^ *Table  P=2  M=2 .* plain\.csv$/p;}' out)" ]

# ---- among the families ----

works --families --format csv plain.csv -f 2
mv out families.csv
equal "the header and a row for the table and each family" \
	"$(($(grep -c '' families.txt) + 2))" "$(grep -c '' families.csv)"
equal "the table is the first row" '"file:plain.csv"' "$(sed -n 2p families.csv | cut -d , -f 1)"
works --format summary plain.csv -f 2
equal "makespan in its row" "$(value makespan)" "$(sed -n 2p families.csv | cut -d , -f 3)"
equal "bubble in its row" "$(value bubble_fraction)" "$(sed -n 2p families.csv | cut -d , -f 4)"
sed 2d families.csv >others.csv
works --families --format csv -p 2 -m 2 -f 2
same "the other rows are those without a table" others.csv out
works --families plain.csv
equal "first as text" plain.csv "$(sed -n '2s/ .*//p' out)"
works --families --format json plain.csv
holds "first as json" grep -q '^\[{"schedule":"file:plain.csv","chunks":1,"makespan":9,' out
works --families sub/run.ini
equal "first through a scenario" near.csv "$(sed -n '2s/ .*//p' out)"
cp plain.csv 'a "b", \c.csv'
works --families --format json 'a "b", \c.csv'
holds "a name with quotes as json" grep -qF '"schedule":"file:a \"b\", \\c.csv"' out
works --families --format csv 'a "b", \c.csv'
holds "a name with quotes as csv" grep -qF '"file:a ""b"", \c.csv",1,9,' out

# ---- PyTorch's own ----

golden=${PIPEGANTT_GOLDEN:-$SRCDIR/../shared/golden}/pytorch_csv
if [ ! -d "$golden" ]; then
	echo "no tables in $golden: left out"
	finish
fi
find "$golden" -name '*.csv' | sort >golden.txt
while read -r file; do
	"$PIPEGANTT" --format csv "$file" >out 2>err </dev/null
	equal "status of $file" 0 $?
	case $file in
	*old_naming*) holds "$file is explained" grep -q "old table" err ;;
	*)
		equal "$file has nothing to explain" "" "$(cat err)"
		cells "$file" >cells.txt
		equal "$file: a feasible order" "" "$(unsound cells.txt out)"
		;;
	esac
	# The counts in the name of a file, where it has some.
	counts=$(printf '%s' "${file##*/}" | sed -n 's/.*_P\([0-9]*\)_M\([0-9]*\)_V\([0-9]*\)_.*/\1 \2 \3/p')
	"$PIPEGANTT" --format summary "$file" >out 2>/dev/null </dev/null
	[ -z "$counts" ] ||
		equal "P, M, V of $file" "$counts" "$(value stages) $(value micro_batches) $(value chunks)"
done <golden.txt
echo "$(grep -c '' golden.txt) tables of PyTorch"
holds "there are some" [ -s golden.txt ]
finish
