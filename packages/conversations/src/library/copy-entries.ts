import { settle } from "../conversation/settling.ts";
import type { ConversationStore } from "../transcript/conversation-store.ts";
import type { About } from "../transcript/line.ts";
import type { Transcript } from "../transcript/transcript.ts";

/** How many entries are held at once. */
const pageCount = 100;

/** Begins a transcript with the entries of another one, up to before a prompt. Changes of files are not among them. */
export async function copyEntries(
  store: ConversationStore,
  about: About,
  source: Transcript,
  beforePrompt: string | undefined,
): Promise<void> {
  const file = await store.open(about.id);
  try {
    file.transcript.describe(about);
    let count = 0;
    for (let end = pageCount; end - pageCount < source.next; end += pageCount) {
      for (const { entry } of await source.before(
        Math.min(end, source.next),
        Math.min(pageCount, source.next - end + pageCount),
      )) {
        if (entry.kind === "prompt" && entry.id === beforePrompt) return;
        file.transcript.upsert(count, settle(entry));
        count += 1;
      }
      await file.transcript.flush();
    }
  } finally {
    await file.transcript.close();
    await file.release();
  }
}
