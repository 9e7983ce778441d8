export type { ShellMessage } from "./shell.ts";
export * from "./agent-facts.ts";
export * from "./document.ts";
export * from "./for-page.ts";
export * from "./from-host.ts";
export * from "./from-page.ts";
export * from "./reviews.ts";
export { hostSaysIn, panelStringsIn, panelTextsIn } from "../languages/panel-texts.ts";
export { panelStrings, type Said, saidIn, type StringKey } from "../strings.ts";
