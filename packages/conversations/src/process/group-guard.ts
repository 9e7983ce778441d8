import { type ChildProcess, spawn } from "node:child_process";

/**
 * Reads `+ <group>` and `- <group>`, and ends what is left at the end of its input, with what that has started outside of its
 * group: agents give their commands groups of their own. Only what every system's own shell has.
 */
const script = `
groups=
while read -r sign group; do
  case $sign in
    +) groups="$groups $group" ;;
    -) kept=
       for one in $groups; do [ "$one" = "$group" ] || kept="$kept $one"; done
       groups=$kept ;;
  esac
done
[ -n "$groups" ] || exit 0
parents() {
  if [ -r /proc/self/status ]; then
    for file in /proc/[0-9]*/status; do
      while read -r key value rest; do
        case $key in
          Pid:) pid=$value ;;
          PPid:) echo "$pid $value"; break ;;
        esac
      done < "$file"
    done
  else
    ps -A -o pid= -o ppid=
  fi
}
all=$(parents)
found=$groups
grown=yes
while [ -n "$grown" ]; do
  grown=
  set -- $all
  while [ $# -gt 1 ]; do
    case " $found " in
      *" $1 "*) ;;
      *" $2 "*) found="$found $1"; grown=yes ;;
    esac
    shift 2
  done
done
end() {
  for one in $groups; do kill -s "$1" -- "-$one"; done
  for one in $found; do kill -s "$1" "$one"; done
}
end TERM
sleep 2
end KILL
`;

/**
 * Ends the agents of an editor that was killed, or has crashed: it cannot do it itself any more, and an agent in the middle of a
 * turn goes on when nobody listens (docs/protocols/claude-stream.md). A shell that does nothing but wait for the end of its
 * input. Not on Windows.
 */
export class GroupGuard {
  readonly #groups: Set<number> = new Set();
  #shell: ChildProcess | undefined;

  /** Ends a process group when this process has ended. */
  watch(group: number): void {
    this.#groups.add(group);
    if (this.#shell === undefined) this.#start();
    else this.#say("+", group);
  }

  /** Nothing of a group is left: its id may be another's from now on. */
  release(group: number): void {
    if (this.#groups.delete(group)) this.#say("-", group);
  }

  #start(): void {
    // Detached: what ends the editor's own group must not end it.
    const shell: ChildProcess = spawn("/bin/sh", ["-c", script], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    const gone = (): void => {
      if (this.#shell === shell) this.#shell = undefined;
    };
    // Without a shell, or once it has been ended, agents are ended by the editor alone; the next one starts another.
    shell.on("error", gone);
    shell.on("exit", gone);
    shell.stdin?.on("error", gone);
    // It waits for this process, and not the other way round.
    shell.unref();
    const { stdin } = shell;
    if (stdin !== null && "unref" in stdin && typeof stdin.unref === "function") stdin.unref();
    this.#shell = shell;
    for (const group of this.#groups) this.#say("+", group);
  }

  #say(sign: "+" | "-", group: number): void {
    this.#shell?.stdin?.write(`${sign} ${group}\n`);
  }
}
