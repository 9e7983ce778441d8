/**
 * A shell's command that takes variables that tmux was given (tmux.ts) away again, where nobody has set others since. It
 * is for the editor's last moment: one process, which nobody waits for.
 */
export function unlinkCommand(variables: Readonly<Record<string, string>>): readonly [string, readonly string[]] {
  const script =
    'while [ $# -gt 1 ]; do [ "$(tmux show-environment "$1" 2>/dev/null)" = "$1=$2" ] && tmux set-environment -u "$1"; shift 2; done';
  return ["/bin/sh", ["-c", script, "sh", ...Object.entries(variables).flat()]];
}
