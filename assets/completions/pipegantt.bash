# bash completion for pipegantt. It has no lists of its own: options come from --help, families and
# scenarios from the program's lists, and the words an option takes from what the program says when
# it is given `?`. Needs no other completion to be loaded.
# shellcheck shell=bash

# The words that option $2 of program $1 takes, a line each.
_pipegantt_words()
{
    case $2 in
    --schedule)
        "$1" --list-schedules | cut -f 1
        ;;
    *)
        # `pipegantt: --color: '?': auto, always, never or few is needed`; only single words count.
        "$1" --print "$2=?" 2>&1 >/dev/null | sed -n "1s/.*'?': \(.*\) is needed\$/\1/p" |
            sed 's/ or /,/g; s/, /,/g' | tr ',' '\n' | grep -x '[a-z][a-z0-9]*'
        ;;
    esac </dev/null 2>/dev/null
}

# `-s,--schedule NAME` or `   --group N`: the options of program $1, their long names, their values.
_pipegantt_options()
{
    "$1" --help </dev/null 2>/dev/null |
        sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\)\( [^ ]*\)\{0,1\}\( .*\)\{0,1\}$/\1\2\3/p'
}

# Takes the lines that begin with word $1 as completions.
_pipegantt_take()
{
    local line
    while IFS= read -r line; do
        [[ $line == "$1"* ]] && COMPREPLY+=("$line")
    done
}

_pipegantt()
{
    local program=$1 word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}
    local options takes=
    COMPREPLY=()

    # `--schedule=zb` comes as three words.
    if [[ $word == = ]]; then
        word=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD-2]}
    fi
    options=$(_pipegantt_options "$program")
    if [[ $option == -[!-] ]]; then
        option=$(sed -n "s/^$option,\(--[a-z-]*\).*/\1/p" <<<"$options")
    fi
    if [[ $option == --* ]] && grep -q -e "^...$option [^ ]" <<<"$options"; then
        takes=yes
    fi

    if [[ $takes && $option == --output ]]; then
        compopt -o filenames 2>/dev/null
        _pipegantt_take "$word" < <(compgen -f -- "$word")
    elif [[ $takes ]]; then
        _pipegantt_take "$word" < <(_pipegantt_words "$program" "$option")
    elif [[ $word == -* ]]; then
        # shellcheck disable=SC2001 # not a replacement that bash has
        _pipegantt_take "$word" < <(sed 's/^...\(--[a-z-]*\).*/\1/' <<<"$options")
    else
        local list=--list-scenarios
        [[ " ${COMP_WORDS[*]} " != *' --lesson '* ]] || list=--list-lessons
        _pipegantt_take "$word" < <("$program" "$list" </dev/null 2>/dev/null | cut -f 1)
        _pipegantt_take "$word" < <(
            compgen -f -X '!*.ini' -- "$word"
            compgen -f -X '!*.csv' -- "$word"
            compgen -d -S / -- "$word"
        )
        if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then
            compopt -o nospace 2>/dev/null
        fi
    fi
}

complete -F _pipegantt pipegantt
