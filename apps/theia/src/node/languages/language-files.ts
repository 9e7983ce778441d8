/**
 * Every language, compressed and in Base64, `en` with the keys to the lists of the others; the build puts them in (tsup.config.ts),
 * since applications bundle their backend anew. Run from the sources there is English alone.
 */
export const languageFiles: Readonly<Record<string, string>> = {};
