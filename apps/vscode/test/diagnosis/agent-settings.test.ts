import { type AgentSettings, examineAsking, examineConnecting } from "@patchbay/core";
import { expect, it } from "vitest";
import { describeSettings } from "../../src/diagnosis.ts";

const qwen: AgentSettings = {
  agent: "qwen",
  agentName: "Qwen Code",
  isUsed: true,
  looksForEditor: "yes",
  looksOnContainerHost: false,
  showsChanges: true,
  asks: true,
  mode: "default",
  defaultMode: "auto",
  modeSetting: "tools.approvalMode",
  settingsFile: "/home/user/.qwen/settings.json",
  decidedBy: { looksForEditor: undefined, showsChanges: undefined, mode: undefined },
  traces: [],
  askingCommand: "qwen --approval-mode default",
  askingInput: undefined,
};

it.each([
  { looksForEditor: "no" },
  { looksForEditor: "not-yet" },
  { asks: false, mode: undefined },
  { asks: false, mode: "yolo" },
  { showsChanges: false },
] satisfies readonly Partial<AgentSettings>[])("takes %j as seriously as the doctor does", (facts) => {
  const one: AgentSettings = { ...qwen, ...facts };
  const levels = [...examineConnecting(one), ...examineAsking(one)].map(({ level }) => level);
  expect(levels).toHaveLength(1);
  expect(describeSettings(one).flatMap(({ mark }) => (mark === "good" ? [] : [mark]))).toEqual(levels);
});
