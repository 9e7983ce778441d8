export type * from "./changes.ts";
export * from "./entries.ts";
export * from "./questions.ts";
export * from "./schema.ts";
export type * from "./session.ts";
export * from "./snapshot.ts";
