#!/bin/sh
# One look at the screen in a real terminal, tmux: it opens, obeys a key, and gives the shell its
# screen back. What is on the screen is tested in tests/screens; this tests the emulator there.
# lib.sh is not followed.
# shellcheck disable=SC1091,SC2154
. "${SRCDIR:-$(dirname -- "$0")/..}/tests/lib.sh"

if ! tmux -V >/dev/null 2>&1; then
	echo "skipped: tmux is missing"
	exit 77
fi
slow=1
[ "$SANITIZE" = yes ] && slow=4
socket=$scratch/tmux.socket
unset TMUX

in_tmux() {
	tmux -u -S "$socket" -f tmux.conf "$@"
}
trap 'in_tmux kill-server 2>/dev/null; rm -rf "$scratch"' EXIT

# shows TEXT: does the pane come to show it?
shows() {
	_tries=$((slow * 100))
	while [ "$_tries" -gt 0 ]; do
		in_tmux capture-pane -p >pane 2>/dev/null
		grep -qF -e "$1" pane && return 0
		sleep 0.05
		_tries=$((_tries - 1))
	done
	cat pane
	return 1
}

cat >tmux.conf <<'EOF'
set -g default-terminal tmux-256color
set -g status off
set -g escape-time 0
EOF
cat >shellrc <<'EOF'
PS1='the prompt of the shell> '
EOF
if ! in_tmux new-session -d -x 80 -y 24 "ENV='$scratch/shellrc' sh -i"; then
	echo "skipped: tmux does not start"
	exit 77
fi
holds "the shell's prompt is there" shows 'the prompt of the shell>'
in_tmux send-keys "'$PIPEGANTT' -s 1f1b" Enter
holds "the screen opens" shows '1F1B  P=4  M=8'
holds "with the figures" shows 'makespan=33'
if grep -qF 'the prompt of the shell' pane; then
	fail "the screen takes all of the terminal" "no prompt" "$(cat pane)"
else
	pass
fi
in_tmux send-keys P
holds "a key is obeyed" shows '1F1B  P=5  M=8'
holds "and explained" shows 'P 4→5: makespan 33→36'
in_tmux send-keys Down F1
holds "keys of more than one byte arrive" shows 'one stage more'
in_tmux send-keys q
holds "the help closes" shows 'makespan=36  bubble=33.3%'
in_tmux send-keys Space
holds "a moment sweeps over the step" shows 'playing 1'
in_tmux send-keys Space
holds "and stops" shows 'paused at'
in_tmux send-keys q
holds "the chart is whole again" shows 'starts the step'
in_tmux send-keys q y
holds "the shell has its screen back" shows 'the prompt of the shell>'
in_tmux send-keys 'echo "status $?"' Enter
holds "it ended well" shows 'status 0'
if grep -qF 'makespan' pane; then
	fail "nothing of the screen is left" "no makespan" "$(cat pane)"
else
	pass
fi
finish
