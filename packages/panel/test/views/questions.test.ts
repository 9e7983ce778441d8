// @vitest-environment jsdom
import type { Entry, PermissionQuestion } from "@patchbay/conversations/model";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { guardTime } from "../../src/views/questions/question.tsx";
import { TestPanel } from "../support/panel.tsx";

const permission: PermissionQuestion = {
  type: "permission",
  toolId: "t",
  title: "Run a command",
  command: `echo ${"long ".repeat(200)}end`,
  choices: [
    { id: "yes", name: "Allow", kind: "allow-once" },
    { id: "always", name: "Always Allow", kind: "allow-always", rule: "Bash(echo long:*)" },
    { id: "no", name: "No", kind: "reject-once" },
  ],
};

const asking = (question: Extract<Entry, { readonly kind: "question" }>["question"]): Entry => ({
  kind: "question",
  id: "q",
  at: 0,
  question,
});

let panel: TestPanel | undefined;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  panel?.close();
  vi.useRealTimers();
});

async function show(question: Parameters<typeof asking>[0]): Promise<TestPanel> {
  panel = await TestPanel.show([asking(question)]);
  return panel;
}

async function showAndWait(question: Parameters<typeof asking>[0]): Promise<TestPanel> {
  const shown = await show(question);
  vi.advanceTimersByTime(guardTime);
  return shown;
}

describe("a question", () => {
  it("shows the whole command, and the whole rule of what would hold from then on", async () => {
    const { root } = await show(permission);
    expect(root.querySelector(".question pre")?.textContent).toBe(permission.command);
    expect(root.querySelector(".rule")?.textContent).toContain("Bash(echo long:*)");
  });

  it("has what people mean first: Yes, then No, then what allows more", async () => {
    const { root } = await show({ ...permission, choices: permission.choices.toReversed() });
    const buttons = Array.from(root.querySelectorAll<HTMLButtonElement>(".question-foot button"));
    expect(buttons.map(({ textContent }) => textContent)).toEqual(["Allow", "No", "Always Allow"]);
    expect(buttons.map(({ className }) => className.includes("primary"))).toEqual([true, false, false]);
  });

  it("means No once a reason is written", async () => {
    const shown = await showAndWait(permission);
    const field = shown.one(".question input", HTMLInputElement);
    await shown.do(() => {
      field.value = "Use the other script";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    const primary = Array.from(
      shown.root.querySelectorAll(".question-foot .primary"),
      ({ textContent }) => textContent,
    );
    expect(primary).toEqual(["Reject"]);
  });

  it("spells out what cannot be seen in a command", async () => {
    const command = "rm -rf \u202E/tmp\u2066 \u200B~\r\n\techo";
    const { root } = await show({ ...permission, title: "Clean\nAllowed", command });
    expect(root.querySelector(".question pre")?.textContent).toBe(
      "rm -rf \\u{202e}/tmp\\u{2066} \\u{200b}~\\r\n\techo",
    );
    expect(root.querySelector(".question-title")?.textContent).toBe("Clean\\nAllowed");
  });

  it("marks what its tool would touch outside the workspace", async () => {
    panel = await TestPanel.show([
      {
        kind: "tool",
        id: "t",
        at: 0,
        tool: "read",
        name: "Read",
        title: "Read two files",
        state: "waiting",
        locations: [{ path: "/home/me/.ssh/id_rsa" }, { path: "/home/me/shop/a.ts" }],
      },
      asking(permission),
    ]);
    const marks = Array.from(panel.root.querySelectorAll(".question .outside li"));
    expect(marks.map(({ textContent }) => textContent)).toEqual(["Outside the workspace /home/me/.ssh/id_rsa"]);
  });

  it("can be answered again when its answer has settled nothing", async () => {
    const shown = await showAndWait(permission);
    await shown.press("Allow");
    expect(shown.button("Allow").disabled).toBe(true);
    await shown.do(() => vi.advanceTimersByTime(3000));
    expect(shown.button("Allow").disabled).toBe(false);
  });

  it("takes no focus", async () => {
    await show(permission);
    expect(document.activeElement).toBe(document.body);
  });

  it("takes no answer right after it has appeared", async () => {
    const shown = await show(permission);
    vi.advanceTimersByTime(guardTime - 1);
    await shown.press("Allow");
    expect(shown.heard("answer")).toEqual([]);
    const key = await shown.key("Enter", {}, shown.button("Allow"));
    expect(key.defaultPrevented).toBe(true);
    vi.advanceTimersByTime(1);
    await shown.press("Allow");
    expect(shown.heard("answer")).toHaveLength(1);
  });

  it("is not answered by a key that is held down", async () => {
    const shown = await showAndWait(permission);
    const held = await shown.key("Enter", { repeat: true }, shown.button("Allow"));
    expect(held.defaultPrevented).toBe(true);
    const pressed = await shown.key("Enter", {}, shown.button("Allow"));
    expect(pressed.defaultPrevented).toBe(false);
  });

  it("is answered once", async () => {
    const shown = await showAndWait(permission);
    await shown.press("Always Allow");
    expect(shown.button("Allow").disabled).toBe(true);
    await shown.press("Allow");
    expect(shown.heard("answer")).toEqual([
      { type: "answer", conversation: "c1", id: "q", answer: { type: "choice", choiceId: "always" } },
    ]);
  });

  it("is refused with a reason", async () => {
    const shown = await showAndWait(permission);
    const field = shown.one(".question input", HTMLInputElement);
    await shown.do(() => {
      field.value = "Use the other script";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await shown.press("Reject");
    expect(shown.heard("answer")[0]?.answer).toEqual({ type: "reject", message: "Use the other script" });
  });

  it("can be refused where the agent offers no No", async () => {
    const shown = await showAndWait({ ...permission, choices: permission.choices.slice(0, 1) });
    await shown.press("Reject");
    expect(shown.heard("answer")[0]?.answer).toEqual({ type: "reject" });
  });

  it("marks a file outside the workspace, and says where it cannot be edited", async () => {
    const change = { path: "/etc/passwd", after: "x\n", isEditable: false };
    const shown = await show({ ...permission, change });
    expect(shown.text).toContain("Outside the workspace");
    expect(shown.text).toContain("not edit it");
    await shown.press("Review in Editor");
    expect(shown.heard("open-diff")).toEqual([
      { type: "open-diff", conversation: "c1", entry: "q", path: "/etc/passwd" },
    ]);
  });

  it("marks no file of the workspace, but one that climbs out of it", async () => {
    const inside = { path: "/home/me/shop/src/a.ts", after: "x\n", isEditable: true };
    const shown = await show({ ...permission, change: inside });
    expect(shown.text).not.toContain("Outside the workspace");
    shown.close();
    const climbing = { ...inside, path: "/home/me/shop/../.ssh/config" };
    expect((await show({ ...permission, change: climbing })).text).toContain("Outside the workspace");
  });

  it("that was a plan can be read again, once it is answered", async () => {
    const plan = { type: "plan", plan: "# First this\n\nThen that", choices: [] } as const;
    const outcome = { type: "answered", summary: "Yes, go ahead", isAllowed: true } as const;
    panel = await TestPanel.show([{ kind: "question", id: "q", at: 0, question: plan, outcome }]);
    expect(panel.text).toContain("Yes, go ahead");
    expect(panel.text).not.toContain("First this");
    await panel.press("Show plan");
    expect(panel.one(".settled h3", HTMLElement).textContent).toBe("First this");
    await panel.press("Hide plan");
    expect(panel.text).not.toContain("First this");
  });

  it("that was a form shows each answer beside what it answers", async () => {
    const form = {
      type: "form",
      message: "",
      fields: [
        { id: "a", label: "Which API?", input: "text", isRequired: true },
        { id: "b", label: "Notes", input: "text", isRequired: false },
        { id: "c", label: "How many", input: "number", isRequired: true },
      ],
    } as const;
    const summary = "Which API? v2\nNotes: one\ntwo\nHow many: 3";
    const outcome = { type: "answered", summary, isAllowed: true } as const;
    panel = await TestPanel.show([{ kind: "question", id: "q", at: 0, question: form, outcome }]);
    const lines = Array.from(panel.root.querySelectorAll(".settled p"), (line) =>
      Array.from(line.children, ({ textContent }) => textContent),
    );
    expect(lines).toEqual([
      ["Which API?", "v2"],
      ["Notes", "one two"],
      ["How many", "3"],
    ]);
    const withdrawn = { type: "withdrawn" } as const;
    await panel.do(() => panel?.host.add({ kind: "question", id: "other", at: 0, question: form, outcome: withdrawn }));
    expect(panel.text).toContain("Which API? Notes How many");
  });

  it("stays with its answer", async () => {
    const shown = await show(permission);
    await shown.do(() =>
      shown.host.put(0, {
        kind: "question",
        id: "q",
        at: 0,
        question: permission,
        outcome: { type: "answered", summary: "Allowed", isAllowed: true, isEdited: true },
      }),
    );
    expect(shown.root.querySelector(".settled")?.textContent).toBe("Run a commandAllowed (with changes)");
    expect(shown.root.querySelector(".question")).toBeNull();
  });

  const tool = {
    kind: "tool",
    id: "t",
    at: 0,
    tool: "execute",
    name: "Bash",
    title: "Run a command",
    command: "echo long",
    state: "done",
  } as const;

  it("is answered in the row of its tool, and has no second one", async () => {
    panel = await TestPanel.show([tool, asking(permission)]);
    expect(panel.root.querySelector(".question")).not.toBeNull();
    const outcome = { type: "answered", summary: "Allowed", isAllowed: true } as const;
    await panel.do(() => panel?.host.put(1, { kind: "question", id: "q", at: 0, question: permission, outcome }));
    expect(panel.root.querySelector(".tool-line")?.textContent).toBe("echo longDoneAllowed");
    expect(panel.root.querySelector(".settled, .question, [data-id=q]")).toBeNull();
  });

  it("that was refused says so once, with the whole reason", async () => {
    const reason = `No: ${"use the other script, ".repeat(20)}please`;
    const outcome = { type: "answered", summary: reason, isAllowed: false } as const;
    panel = await TestPanel.show([
      { ...tool, state: "rejected" },
      { kind: "question", id: "q", at: 0, question: permission, outcome },
    ]);
    expect(panel.root.querySelector(".tool-answer")?.textContent).toBe(reason);
    expect(panel.root.querySelector(".tool-state")).toBeNull();
  });

  it("of a subagent is answered in the row of its tool, too", async () => {
    const outcome = { type: "answered", summary: "Allowed", isAllowed: true } as const;
    panel = await TestPanel.show([
      { kind: "tool", id: "agent", at: 0, tool: "subagent", name: "Task", title: "Look", state: "done" },
      { ...tool, parent: "agent" },
      { kind: "question", id: "q", at: 0, parent: "agent", question: permission, outcome },
    ]);
    expect(panel.text).toContain("Subagent steps: 1");
    await panel.do(() => panel?.one(".tool-head", HTMLButtonElement).click());
    expect(panel.root.querySelector(".nested .tool-line")?.textContent).toBe("echo longDoneAllowed");
  });
});

describe("a form", () => {
  const form = {
    type: "form",
    message: "Two things",
    fields: [
      {
        id: "api",
        label: "Which API?",
        input: "one-of",
        isRequired: true,
        allowsOther: true,
        options: [
          { value: "1", label: "v1" },
          { value: "2", label: "v2" },
        ],
      },
      { id: "count", label: "How many?", input: "number", isRequired: false },
      { id: "sure", label: "Sure?", input: "boolean", isRequired: false },
    ],
  } as const;

  const fill = async (shown: TestPanel, selector: string, value: string): Promise<void> => {
    await shown.do(() => {
      const field = shown.one(selector, HTMLInputElement);
      field.value = value;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
  };

  it("says what is missing or wrong before it is sent", async () => {
    const shown = await showAndWait(form);
    await fill(shown, "input[inputmode]", "many");
    await shown.press("Answer");
    expect(shown.heard("answer")).toEqual([]);
    expect(shown.text).toContain("Please answer this.");
    expect(shown.text).toContain("Enter a number.");
  });

  it("is sent with what was filled in", async () => {
    const shown = await showAndWait(form);
    await shown.do(() => shown.root.querySelectorAll<HTMLInputElement>("input[type=radio]")[1]?.click());
    await fill(shown, "input[inputmode]", "3");
    await shown.press("Answer");
    expect(shown.heard("answer")[0]?.answer).toEqual({ type: "form", values: { api: "2", count: 3, sure: false } });
  });

  it("takes another text than those offered", async () => {
    const shown = await showAndWait(form);
    await fill(shown, "input[aria-label='Something else']", "v3");
    await shown.press("Answer");
    expect(shown.heard("answer")[0]?.answer).toMatchObject({ values: { api: "v3" } });
  });
});
