import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { readSections, updated } from "../../src/agents/codex/apply-patch.ts";
import { createHookLab, type HookLab } from "./hook-lab.ts";

const before = "one\ntwo\nthree\n";

const answer = z.object({
  hookSpecificOutput: z.object({
    permissionDecision: z.enum(["allow", "deny"]).optional(),
    permissionDecisionReason: z.string().optional(),
    updatedInput: z.object({ command: z.string() }).optional(),
    additionalContext: z.string().optional(),
  }),
});

function patchOf(...lines: readonly string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
}

const changeBoth = patchOf("*** Update File: a.txt", "@@", " one", "-two", "+TWO", "*** Add File: b.txt", "+new");

/** Without other arguments a yes is to say nothing: Codex takes anything more for a failure of the hook. */
const yes = {};

type Answer = z.infer<typeof answer>["hookSpecificOutput"];

interface Call {
  readonly command: string;
  readonly tool?: string;
}

/** Asks about a patch, and decides on each of its files by name. */
async function decided(
  lab: HookLab,
  { command, tool = "apply_patch" }: Call,
  verdicts: Readonly<Record<string, "accept" | "reject" | { readonly typed: string }>>,
): Promise<Answer> {
  const asked = lab.ask("codex", { tool, input: { command } });
  const names = Object.keys(verdicts);
  await expect.poll(() => lab.editor.views.length).toBe(names.length);
  for (const view of lab.editor.views) {
    const name = names.find((one) => view.request.path.endsWith(`/${one}`));
    const verdict = verdicts[name ?? ""] ?? "reject";
    if (typeof verdict === "object") view.type(verdict.typed);
    if (verdict === "reject") view.reject();
    else view.accept();
  }
  return answer.parse(JSON.parse((await asked) ?? "")).hookSpecificOutput;
}

/** A workspace with one file, and the others that a patch names. */
async function createPatchLab(files: Readonly<Record<string, string>> = { "a.txt": before }): Promise<HookLab> {
  const lab = await createHookLab();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(lab.platform.workspace, name), text);
  return lab;
}

describe("a patch of Codex CLI's", () => {
  it("is reviewed file by file, and applied as it stands where all of it is accepted", async () => {
    const lab = await createPatchLab();
    const said = await decided(lab, { command: changeBoth }, { "a.txt": "accept", "b.txt": "accept" });
    expect(said).toEqual(yes);
    const shown = lab.editor.views.map(({ request }) => request.proposedText);
    expect(shown.toSorted()).toEqual(["new\n", "one\nTWO\nthree\n"]);
  });

  it("is written anew from what the user typed into its files", async () => {
    const lab = await createPatchLab();
    const typed = { "a.txt": { typed: "ONE\nTWO\nthree\n" }, "b.txt": { typed: "newer\n\n" } };
    const said = await decided(lab, { command: changeBoth }, typed);
    const [first, second] = readSections(said.updatedInput?.command ?? "") ?? [];
    expect(first && updated(before, first.hunks)).toBe("ONE\nTWO\nthree\n");
    expect(second?.added).toBe("newer\n\n");
    expect(said.additionalContext).toContain("ONE\nTWO\nthree\n");
  });

  it("leaves out the files that the user refused, and says why", async () => {
    const lab = await createPatchLab();
    const said = await decided(lab, { command: changeBoth }, { "a.txt": "reject", "b.txt": "accept" });
    expect(said.permissionDecision).toBe("allow");
    expect(said.updatedInput?.command).toBe(patchOf("*** Add File: b.txt", "+new"));
    expect(said.additionalContext).toMatch(
      /Written: \S*b\.txt\.\n.*a\.txt in their editor and rejected it\. It was left out\./u,
    );
  });

  it("is refused where every file is", async () => {
    const lab = await createPatchLab();
    const said = await decided(lab, { command: changeBoth }, { "a.txt": "reject", "b.txt": "reject" });
    expect(said.permissionDecision).toBe("deny");
  });

  it("tells the model the texts that no patch can make, and takes them without asking again", async () => {
    const lab = await createPatchLab();
    const typed = { "a.txt": "accept", "b.txt": { typed: "no end" } } as const;
    const said = await decided(lab, { command: changeBoth }, typed);
    expect(said.permissionDecision).toBe("deny");
    expect(said.permissionDecisionReason).toMatch(
      /accepted this change of \S*a\.txt.*\n.*write exactly this text.*\nno end$/u,
    );
    const again = lab.ask("codex", {
      tool: "apply_patch",
      input: { command: patchOf(...changeBoth.split("\n").slice(1, 6)) },
    });
    expect(answer.parse(JSON.parse((await again) ?? "")).hookSpecificOutput).toEqual(yes);
  });

  it("moves a file: what comes and what goes is reviewed, and either can be left out", async () => {
    const move = patchOf("*** Update File: a.txt", "*** Move to: c.txt", "@@", "-two", "+TWO");
    const lab = await createPatchLab();
    const said = await decided(lab, { command: move }, { "c.txt": "accept", "a.txt": "reject" });
    expect(lab.editor.views.map(({ request }) => [request.kind, request.proposedText])).toEqual([
      ["create", "one\nTWO\nthree\n"],
      ["delete", ""],
    ]);
    expect(said.updatedInput?.command).toBe(patchOf("*** Add File: c.txt", "+one", "+TWO", "+three"));
  });

  it("deletes a file", async () => {
    const lab = await createPatchLab();
    const said = await decided(lab, { command: patchOf("*** Delete File: a.txt") }, { "a.txt": "accept" });
    expect(said).toEqual(yes);
  });

  it.each([
    ["", "apply_patch <<'EOF'"],
    ["cd sub && ", "apply_patch <<EOF"],
    ["cd 'sub' && ", 'applypatch <<"EOF"'],
  ])("in a command has its command around it, too: %s%s", async (way, start) => {
    const lab = await createPatchLab();
    const patch = patchOf("*** Add File: b.txt", "+new");
    const call = { tool: "Bash", command: `${way}${start}\n${patch}\nEOF\n` };
    const said = await decided(lab, call, { "b.txt": { typed: "PATCH\n" } });
    expect(lab.editor.views[0]?.request.path).toContain(way === "" ? "/b.txt" : "/sub/b.txt");
    const anew = patchOf("*** Add File: b.txt", "+PATCH");
    expect(said.updatedInput?.command).toBe(`${way}apply_patch <<'PATCH'\n${anew}\nPATCH\n`);
  });

  it.each([
    `echo hi; apply_patch <<'EOF'\n${changeBoth}\nEOF`,
    `apply_patch <<'EOF' | tee x\n${changeBoth}\nEOF`,
    `apply_patch <<'EOF'\n${changeBoth}\nEOF\necho\nEOF`,
    `apply_patch '${changeBoth}'`,
  ])("in a command that does more is refused: %s", async (command) => {
    const lab = await createPatchLab();
    const said = answer.parse(JSON.parse((await lab.ask("codex", { tool: "Bash", input: { command } })) ?? ""));
    expect(said.hookSpecificOutput.permissionDecision).toBe("deny");
    expect(lab.editor.views).toEqual([]);
  });

  it("that changes one file twice is refused", async () => {
    const lab = await createPatchLab();
    const command = patchOf("*** Update File: a.txt", "@@", "-one", "*** Update File: ./a.txt", "@@", "-two");
    const said = answer.parse(JSON.parse((await lab.ask("codex", { tool: "apply_patch", input: { command } })) ?? ""));
    expect(said.hookSpecificOutput.permissionDecisionReason).toContain("cannot be shown");
  });
});

describe("what Codex asks by itself after a review", () => {
  const asks = async (lab: HookLab, command: string, tool = "apply_patch", session = "s1") =>
    await lab.tell("codex", {
      hook_event_name: "PermissionRequest",
      tool_name: tool,
      tool_input: { command },
      session_id: session,
    });
  const consent = JSON.stringify({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
  });

  it("is answered once, for the very patch that the user accepted", async () => {
    const lab = await createPatchLab();
    expect(await asks(lab, changeBoth)).toBeUndefined();
    await decided(lab, { command: changeBoth }, { "a.txt": "accept", "b.txt": "accept" });
    expect(await asks(lab, changeBoth.replace("+new", "+other"))).toBeUndefined();
    expect(await asks(lab, changeBoth, "Bash")).toBeUndefined();
    expect(await asks(lab, changeBoth, "apply_patch", "s2")).toBeUndefined();
    expect(await asks(lab, changeBoth)).toBe(consent);
    expect(await asks(lab, changeBoth)).toBeUndefined();
  });

  it("is answered for what became of the patch, and not for the patch as it was", async () => {
    const lab = await createPatchLab();
    const said = await decided(lab, { command: changeBoth }, { "a.txt": { typed: "ONE\n" }, "b.txt": "reject" });
    expect(await asks(lab, changeBoth)).toBeUndefined();
    expect(await asks(lab, said.updatedInput?.command ?? "")).toBe(consent);
  });

  it("is left to Codex where a file was not reviewed, or the user said no", async () => {
    const lab = await createPatchLab();
    const outside = patchOf(...changeBoth.split("\n").slice(1, -1), "*** Add File: ../outside.txt", "+x");
    const said = await decided(lab, { command: outside }, { "a.txt": "accept", "b.txt": "accept" });
    expect(said).toEqual(yes);
    expect(await asks(lab, outside)).toBeUndefined();
    const other = await createPatchLab();
    await decided(other, { command: changeBoth }, { "a.txt": "reject", "b.txt": "reject" });
    expect(await asks(other, changeBoth)).toBeUndefined();
  });

  it("is left to Codex once the turn has ended", async () => {
    const lab = await createPatchLab();
    const said = await decided(lab, { command: changeBoth }, { "a.txt": "accept", "b.txt": "accept" });
    expect(said).toEqual(yes);
    await lab.tell("codex", { hook_event_name: "Stop" });
    expect(await asks(lab, changeBoth)).toBeUndefined();
  });
});

describe("Codex CLI", () => {
  it("hears with a prompt of what is open", async () => {
    const lab = await createPatchLab();
    const said = await lab.tell("codex", { hook_event_name: "UserPromptSubmit", prompt: "go", turn_id: "t1" });
    // Nothing is open: nothing is said.
    expect(said).toBeUndefined();
  });

  it("has other commands asked about by the policy alone", async () => {
    const lab = await createPatchLab();
    const input = { command: "grep -rn apply_patch ." };
    expect(await lab.ask("codex", { tool: "Bash", input })).toBeUndefined();
  });
});
