/** The text of what agents run as their hook; the build puts it in (tsup.config.ts), since applications bundle their backend anew. */
export const hookProgram: string = "";
