export type { PageChannel, PanelEditor } from "./editor.ts";
export type { OpenConversation } from "./library.ts";
export type { PageLink } from "./page-link.ts";
export { PageReviews, type ReviewDecisions, type ReviewDesks } from "./page-reviews.ts";
export { PanelHost, type PanelHostOptions } from "./panel-host.ts";
export { createSessionHost, type SessionHostOptions } from "./session-host.ts";
