import type { PageTexts } from "../../common/panel-protocol.ts";

/** What every page is made of; the build puts it in (tsup.config.ts), since applications bundle their backend anew. */
export const pageTexts: PageTexts = { script: "", style: "" };
