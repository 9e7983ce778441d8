# Review what coding agents propose, in Kakoune.
# An example for `patchbay serve --json` (docs/serve-json.md), tried with Kakoune 2022.10.31. Needs jq.
# Source it, then: :patchbay-start in a folder, and `patchbay run claude` (or gemini, qwen) in a terminal.

declare-option -docstring "The program" str patchbay_program patchbay
declare-option -hidden str patchbay_dir
declare-option -hidden str patchbay_id

define-command patchbay-start -docstring "Serve the current folder to agents" %{
    evaluate-commands %sh{
        dir=$(mktemp -d "${TMPDIR:-/tmp}/patchbay-kak.XXXXXX")
        mkfifo "$dir/in"
        quote() { printf "'%s'" "$(printf %s "$1" | sed "s/'/''/g")"; }
        client=$kak_client session=$kak_session
        # Everything that is shown comes here, as Kakoune's commands.
        show() { printf 'evaluate-commands -client %s %s\n' "$client" "$(quote "$1")" | kak -p "$session"; }
        (
            exec 3<>"$dir/in"
            $kak_opt_patchbay_program serve --json <&3 2>"$dir/errors" | while IFS= read -r line; do
                field() { printf %s "$line" | jq -j "$1 // \"\""; }
                id=$(field .id)
                case $(field .event) in
                listening) show "echo Patchbay serves this folder: type 'patchbay run claude' in a terminal" ;;
                proposal | changed)
                    # What was sent from here is there.
                    [ "$(field .by)" = edit ] && continue
                    # The ending stays: Kakoune knows the language by it.
                    [ "$(field .event)" = proposal ] && printf %s "$(basename "$(field .path)")" >"$dir/$id.name"
                    file="$dir/$id.$(cat "$dir/$id.name")"
                    field .original >"$file.before"
                    field .text >"$file"
                    show "edit! $(quote "$file"); set-option buffer patchbay_id $(quote "$id"); echo $(quote "$(field .agent) $(field .standing): :patchbay-accept, :patchbay-reject, :patchbay-diff")"
                    ;;
                ended)
                    show "try %{ delete-buffer! $(quote "$dir/$id.$(cat "$dir/$id.name")") }; echo Patchbay: $(field .how)"
                    rm -f "$dir/$id".*
                    ;;
                message | error)
                    show "echo $(quote "Patchbay: $(field .text)$(field .message)")"
                    # A question: the first action says yes.
                    action=$(printf %s "$line" | jq -r '.actions[0] // empty')
                    [ -n "$action" ] && show "prompt $(quote "$action? (y/n) ") %{ patchbay-tell %sh{ [ \"\$kak_text\" = y ] && action=$(quote "$action"); jq -nc --argjson id $id --arg action \"\$action\" '{command: \"answer\", id: \$id} + (if \$action == \"\" then {} else {action: \$action} end)' } }"
                    ;;
                esac
            done
            rm -rf "$dir"
        ) >/dev/null 2>&1 </dev/null &
        printf 'set-option global patchbay_dir %s\n' "$(quote "$dir")"
    }
    hook -group patchbay global NormalIdle .* patchbay-follow
    hook -group patchbay global KakEnd .* patchbay-stop
}

define-command patchbay-stop -docstring "End it" %{
    remove-hooks global patchbay
    patchbay-tell '{"command":"quit"}'
}

define-command -hidden patchbay-tell -params 1 %{
    nop %sh{ [ -p "$kak_opt_patchbay_dir/in" ] && printf '%s\n' "$1" >"$kak_opt_patchbay_dir/in" }
}

define-command -hidden patchbay-follow %{
    nop %sh{
        # $kak_selection_desc: anchor and cursor, both included, from 1.
        [ -f "$kak_buffile" ] && [ -p "$kak_opt_patchbay_dir/in" ] || exit
        case $kak_buffile in "$kak_opt_patchbay_dir"/*) exit ;; esac
        set -- $(printf %s "$kak_selection_desc" | tr '.,' '  ')
        selected=$(printf %s "$kak_selection" | wc -m)
        jq -nc --arg file "$kak_buffile" --argjson n "$selected" "[{line: ($1 - 1), character: ($2 - 1)}, {line: ($3 - 1), character: ($4 - 1)}]"' as $ends
            | ($ends | sort_by(.line, .character)) as [$first, $last]
            | {command: "open", file: $file, cursor: $ends[1]}
            + (if $n > 1 then {selection: {start: $first, end: {line: $last.line, character: ($last.character + 1)}}} else {} end)' \
            >"$kak_opt_patchbay_dir/now"
        cmp -s "$kak_opt_patchbay_dir/now" "$kak_opt_patchbay_dir/told" && exit
        cat "$kak_opt_patchbay_dir/now" >"$kak_opt_patchbay_dir/in"
        mv "$kak_opt_patchbay_dir/now" "$kak_opt_patchbay_dir/told"
    }
}

define-command -hidden patchbay-must-be-a-review %{
    evaluate-commands %sh{ [ -n "$kak_opt_patchbay_id" ] || printf 'fail This buffer is no review' }
}

define-command patchbay-accept -docstring "Accept what this buffer holds" %{
    patchbay-must-be-a-review
    write
    nop %sh{ jq -Rsc --arg id "$kak_opt_patchbay_id" '{command: "accept", id: $id, text: .}' <"$kak_buffile" >"$kak_opt_patchbay_dir/in" }
}

define-command patchbay-reject -params 0..1 -docstring "patchbay-reject [why]: reject the proposal of this buffer" %{
    patchbay-must-be-a-review
    nop %sh{ jq -nc --arg id "$kak_opt_patchbay_id" --arg why "$1" '{command: "reject", id: $id} + (if $why == "" then {} else {reason: $why} end)' >"$kak_opt_patchbay_dir/in" }
}

define-command patchbay-diff -docstring "Show what the proposal of this buffer changes" %{
    patchbay-must-be-a-review
    info -title "What changes" -- %sh{ diff -u --label file --label proposal "$kak_buffile.before" "$kak_buffile" }
}
