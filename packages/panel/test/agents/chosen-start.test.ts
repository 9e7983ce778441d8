import type { AgentSession, SessionOption, SessionUpdate } from "@patchbay/conversations";
import { Emitter, nullLogger } from "@patchbay/core";
import { expect, it } from "vitest";
import { startingWith } from "../../src/agents/chosen-start.ts";

const mode: SessionOption = {
  id: "mode-1",
  category: "mode",
  name: "Mode",
  value: "ask",
  values: [
    { id: "ask", name: "Ask", asks: "always" },
    { id: "plan", name: "Plan", asks: "always" },
    { id: "free", name: "Free", asks: "never" },
  ],
};

const model: SessionOption = {
  id: "model-1",
  category: "model",
  name: "Model",
  value: "large",
  values: [
    { id: "large", name: "Large" },
    { id: "small", name: "Small" },
  ],
};

/** A session that offers a mode and a model. `refuses`: an option that cannot be chosen. */
function session(refuses = ""): { readonly session: AgentSession; readonly chosen: string[] } {
  const updates = new Emitter<SessionUpdate>();
  const chosen: string[] = [];
  return {
    chosen,
    session: {
      onUpdate: updates.event,
      capabilities: {
        images: false,
        excerpts: false,
        editableChanges: false,
        rejectionMessages: false,
        fork: false,
        forkBefore: false,
        rewind: false,
        resume: false,
      },
      start: async () => updates.fire({ type: "options", options: [mode, model] }),
      prompt: async () => "done",
      interrupt: async () => {},
      answer: () => true,
      setOption: async (id, value) => {
        if (id === refuses) throw new Error("no");
        chosen.push(`${id} ${value}`);
      },
      close: async () => {},
    },
  };
}

it("a new session begins with the model and the mode of the settings", async () => {
  const one = session();
  await startingWith(one.session, { model: "small", mode: "plan" }, nullLogger).start();
  expect(one.chosen).toEqual(["model-1 small", "mode-1 plan"]);
});

it("no setting chooses a mode that never asks, or what the agent does not offer", async () => {
  const one = session();
  await startingWith(one.session, { mode: "free", model: "huge" }, nullLogger).start();
  expect(one.chosen).toEqual([]);
});

it("a session starts also where the agent refuses what is set, and nothing is sent for what holds already", async () => {
  const one = session("model-1");
  const started = startingWith(one.session, { model: "small", mode: "ask" }, nullLogger);
  await started.start();
  expect(one.chosen).toEqual([]);
  expect(await started.prompt({ id: "1", blocks: [] })).toBe("done");
});

it("a session without anything set is left alone", () => {
  const one = session();
  expect(startingWith(one.session, {}, nullLogger)).toBe(one.session);
});
