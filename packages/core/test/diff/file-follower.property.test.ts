import type { MemoryDiffView } from "@patchbay/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { path, startWithFile } from "./followed-file.ts";

describe("whatever agents, user and other programs do to one file", () => {
  const count = 12;
  const numbered = Array.from({ length: count }, (_, index) => `line ${index}`);
  const action = fc.oneof(
    fc.record({ kind: fc.constant("disk" as const), line: fc.nat(count - 1) }),
    fc.record({ kind: fc.constant("unseen" as const), line: fc.nat(count - 1) }),
    fc.record({ kind: fc.constant("type" as const), line: fc.nat(count - 1), view: fc.nat(2) }),
    fc.record({ kind: fc.constant("accept" as const), view: fc.nat(2) }),
    fc.record({ kind: fc.constant("wait" as const) }),
  );

  it("no accepted hunk and no outside change is lost, or a conflict is shown", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(count - 1), { minLength: 3, maxLength: 3 }),
        fc.array(action, { maxLength: 8 }),
        async (agentLines, actions) => {
          const test = startWithFile({ text: numbered.join("\n") });
          test.carrier.reachable.add("three");
          const views: MemoryDiffView[] = [];
          for (const [index, session] of ["one", "two", "three"].entries()) {
            const text = numbered.with(agentLines[index] ?? 0, `agent ${index}`).join("\n");
            const { id } = test.open(session, text);
            views.push(await test.editor.nextView((view) => view.request.id === id));
          }
          /** Words that must be on disk in the end, or in a review that is not accepted. */
          const wanted = new Set<string>();
          for (const [step, todo] of [...actions, { kind: "all" as const }].entries()) {
            const disk = (await test.onDisk()) ?? "";
            const at = "line" in todo ? todo.line : 0;
            const lines = disk.split("\n");
            if (todo.kind === "disk" || todo.kind === "unseen") {
              // Another program changes a line, and knows what it replaces.
              const before = lines[at] ?? "";
              if (!before.startsWith("line")) continue;
              wanted.add(`other ${step}`);
              const changed = lines.with(at, `other ${step}`).join("\n");
              if (todo.kind === "disk") await test.writeByOther(changed);
              else test.files.addFile(path, changed);
            } else if (todo.kind === "type") {
              const view = views[todo.view];
              const own = view?.text.split("\n") ?? [];
              if (view?.isOpen !== true || own[at]?.startsWith("line") !== true) continue;
              view.type(own.with(at, `typed ${step}`).join("\n"));
            } else if (todo.kind === "accept") {
              const view = views[todo.view];
              if (view?.isOpen !== true) continue;
              const said = view.text.split("\n").filter((line) => /^(agent|typed)/u.test(line));
              const id = view.request.id;
              const accepting = test.registry.accept(id);
              await test.clock.advanceAsync(50);
              if (await accepting) for (const line of said) wanted.add(line);
            } else if (todo.kind === "all") {
              await test.clock.advanceAsync(200);
              await test.registry.acceptAll();
            } else await test.clock.advanceAsync(300);
          }
          const found = new Set(((await test.onDisk()) ?? "").split("\n"));
          const inConflicts = test.registry.proposals
            .filter(({ standing }) => standing === "conflict")
            .map(({ id }) => views.find((view) => view.request.id === id)?.text ?? "");
          for (const word of wanted) expect([...found], inConflicts.join("\n--\n")).toContain(word);
          // Every agent's hunk is on disk, or its review is open and says why.
          for (const [index, view] of views.entries()) {
            const isKept =
              found.has(`agent ${index}`) || view.text.includes("typed") || !view.text.includes(`agent ${index}`);
            if (!view.isOpen) expect(isKept).toBe(true);
            else expect(view.standing).toBe("conflict");
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
