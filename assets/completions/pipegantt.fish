# fish completion for pipegantt. It has no lists of its own: options come from --help, families and
# scenarios from the program's lists, and the words an option takes from what the program says when
# it is given `?`.

# The values of an option: its long name without the dashes.
function __pipegantt_values
    switch $argv[1]
        case schedule
            pipegantt --list-schedules </dev/null 2>/dev/null | string replace -r '^([^\t]*\t[^\t]*).*' '$1'
        case '*'
            # `pipegantt: --color: '?': auto, always, never or few is needed`; only single words count.
            pipegantt --print --$argv[1]='?' </dev/null 2>&1 >/dev/null |
                string match -r -g '\'\?\': (.*) is needed$' |
                string replace -a ' or ' ', ' | string split ', ' | string match -r '^[a-z][a-z0-9]*$'
    end
end

function __pipegantt_files
    if string match -q -- --lesson (commandline -opc)
        pipegantt --list-lessons </dev/null 2>/dev/null
    else
        pipegantt --list-scenarios </dev/null 2>/dev/null
    end
    __fish_complete_suffix .ini
    __fish_complete_suffix .csv
end

complete -c pipegantt -f -a '(__pipegantt_files)'

# `  -s, --schedule NAME   help`
for line in (pipegantt --help </dev/null 2>/dev/null)
    string match -q -r '^  (?:-(?<short>.),|   ) --(?<long>[a-z-]+)(?: (?<value>[^ ]+))?(?: +(?<help>.*))?$' -- $line
    or continue
    set -l option -l $long
    test -n "$short"; and set -a option -s $short
    test -n "$help"; and set -a option -d $help
    if test "$long" = output
        set -a option -r -F
    else if test -n "$value"
        set -a option -x -a "(__pipegantt_values $long)"
    end
    complete -c pipegantt $option
end
set -e short long value help
