/** What Patchbay needs of a line of /proc/<pid>/stat (proc(5)). */
export interface ProcessStat {
  /** One letter, e.g. `S`; `Z` has ended but was not collected by its parent. */
  readonly state: string;
  readonly parent: number;
  /** Clock ticks from the machine's start to the process's, as text. */
  readonly startTicks: string;
}

/** Parses /proc/<pid>/stat. The command's name (field 2) may itself hold spaces and parentheses, so fields count from its last one. */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const nameEnd = text.lastIndexOf(")");
  if (nameEnd < 0) return undefined;
  const fields = text
    .slice(nameEnd + 1)
    .trim()
    .split(" ");
  const [state, parentText] = fields;
  const startTicks = fields[19];
  if (state === undefined || parentText === undefined || startTicks === undefined) return undefined;
  if (!/^\d+$/.test(parentText) || !/^\d+$/.test(startTicks)) return undefined;
  return { state, parent: Number(parentText), startTicks };
}
