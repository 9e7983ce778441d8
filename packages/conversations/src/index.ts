export type * from "./driver.ts";
export * from "./model/index.ts";
