/** Loads what is not needed before the first proposal, command or look at a view. In one place, because each `import()` takes room. */
export const loadLater = (): Promise<typeof import("./later.ts")> => import("./later.ts");
