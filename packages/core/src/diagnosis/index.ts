export {
  askEditorForReview,
  findEditorsOf,
  findEditorsWith,
  findRunningEditors,
  findServingEditors,
  followEditorContext,
  readPresences,
  type ToldPresence,
} from "./running-editors.ts";
export type { ReviewReply } from "../hooks/questions.ts";
/**
 * What a user asks for who has trouble: an entry of its own, so that editors load it then and not when they start.
 */
export {
  examineAgents,
  examineAsking,
  examineConnecting,
  examineEditor,
  isInstalled,
  readAgentSettings,
} from "./examine-editor.ts";
export { findWeakenedReviews, type WeakenedReviews } from "./weakened-reviews.ts";
export { diagnose } from "./examine.ts";
export { asksByArguments, connectingLine, planStart, type StartPlan, type StartRequest } from "./plan-start.ts";
export { explainedCodes, explainFinding, explanationMarkdown } from "./explain.ts";
