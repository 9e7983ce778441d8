export { askEditorForReview, followEditorContext } from "./ask-editor.ts";
export type { ReviewReply } from "../hooks/review-question.ts";
/**
 * What a user asks for who has trouble: an entry of its own, so that editors load it then and not when they start.
 */
export { examineAsking, examineConnecting, isInstalled, readAgentSettings } from "./agent-settings.ts";
export { diagnose } from "./examine.ts";
export { examineAgents, examineEditor } from "./examine-editor.ts";
export { asksByArguments, connectingLine, planStart, type StartPlan, type StartRequest } from "./plan-start.ts";
export { readPresences, type ToldPresence } from "./running-editors.ts";
export { findRunningEditors, findServingEditors } from "./running-editors.ts";
