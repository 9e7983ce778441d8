export type { ShellMessage } from "./shell.ts";
export * from "./document.ts";
export * from "./for-page.ts";
export * from "./from-host.ts";
export * from "./from-page.ts";
export * from "./reviews.ts";
export { panelStringsIn, panelTextsIn } from "../languages/languages.ts";
export { loadPanelTexts } from "../languages/load-texts.ts";
export { panelStrings, type Said, saidIn, type StringKey } from "../strings.ts";
