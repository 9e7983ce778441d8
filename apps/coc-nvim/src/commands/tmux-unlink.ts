import { spawn } from "node:child_process";

/**
 * A shell's command that takes variables that tmux was given (tmux.ts) away again, where nobody has set others since. It
 * is for the editor's last moment: one process, which nobody waits for.
 */
export function unlinkCommand(variables: Readonly<Record<string, string>>): readonly [string, readonly string[]] {
  const script =
    'while [ $# -gt 1 ]; do [ "$(tmux show-environment "$1" 2>/dev/null)" = "$1=$2" ] && tmux set-environment -u "$1"; shift 2; done';
  return ["/bin/sh", ["-c", script, "sh", ...Object.entries(variables).flat()]];
}

/** New panes of tmux outlive the editor that they were linked with (`patchbay.linkTmux`). */
export function unlinkTmux(variables: Readonly<Record<string, string>>): void {
  const [shell, args] = unlinkCommand(variables);
  const child = spawn(shell, args.slice(), { detached: true, stdio: "ignore" });
  // Without a shell nothing was linked either.
  child.on("error", () => {});
  child.unref();
}
