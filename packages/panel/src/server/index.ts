export { type AskEditor, EditorReviews, type EditorReviewsOptions } from "./editor-reviews.ts";
export { PageReviews } from "../host/index.ts";
export { browserFor, type BrowserStart, openLink, startBrowser } from "./browser.ts";
export { linkMs } from "./door.ts";
export { askForLink } from "./link-desk.ts";
export { type PagePanel, type PagePanelOptions, panelDirectory, startPagePanel } from "./page-panel.ts";
export { idleMs, type PanelServer, type PanelServerOptions, startPanelServer } from "./panel-server.ts";
