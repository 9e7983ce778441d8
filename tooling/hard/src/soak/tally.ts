/** What became of the diffs of a run. */
export class Tally {
  diffs = 0;
  cuts = 0;
  reloads = 0;
  delivered = 0;
  /** The connection that carried the answer is gone, as the protocol has it; nothing may come later. */
  voided = 0;
  lost = 0;
  astray = 0;
  duplicated = 0;
  /** The right owner, the wrong text. */
  bent = 0;
  readonly findings: string[] = [];

  find(kind: "lost" | "astray" | "duplicated" | "bent", what: string): void {
    this[kind] += 1;
    if (this.findings.length < 20) this.findings.push(`${kind}: ${what}`);
  }

  get isClean(): boolean {
    return this.lost + this.astray + this.duplicated + this.bent === 0;
  }
}
