export type * from "./changes.ts";
export * from "./entries.ts";
export type * from "./questions.ts";
export type * from "./session.ts";
