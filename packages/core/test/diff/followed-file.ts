import type { MemoryDiffView } from "@patchbay/testkit";
import { type RegistryUnderTest, startRegistry, type TestStore } from "./registry-under-test.ts";

export const path = "/ws/a.ts";
export const original = "one\ntwo\nthree\nfour\nfive\n";

/** The file with another word in one of its lines. */
export function lineOf(index: number, word: string): string {
  return original.split("\n").with(index, word).join("\n");
}

export interface RegistryWithFile extends RegistryUnderTest {
  /** Agents take what they are told and write nothing. */
  stopWriting(): void;
  onDisk(): Promise<string | undefined>;
  /** Another program writes the file, and everybody has seen it. */
  writeByOther(text: string): Promise<void>;
  messageCodes(): readonly string[];
}

/** A registry whose file is there, with agents that write what they are told was accepted. */
export function startWithFile(options: { readonly store?: TestStore; readonly text?: string } = {}): RegistryWithFile {
  const test = startRegistry(options.store === undefined ? {} : { store: options.store });
  test.files.addFile(path, options.text ?? original);
  const carry = test.carrier.carry.bind(test.carrier);
  let writes = true;
  test.carrier.carry = (to, outcome, onDelivered) => {
    const carried = carry(to, outcome, onDelivered);
    if (writes && carried !== undefined && outcome.kind === "accepted") test.files.addFile(to.path, outcome.text);
    return carried;
  };
  return {
    ...test,
    stopWriting: () => {
      writes = false;
    },
    onDisk: async () => await test.files.readText(path, 10_000),
    writeByOther: async (text) => {
      test.files.addFile(path, text);
      await test.clock.advanceAsync(100);
    },
    messageCodes: () => test.editor.shownMessages.map(({ message }) => message.code),
  };
}

/** Waits until a review says how it stands to its file. */
export async function standingOf({ editor }: RegistryUnderTest, view: MemoryDiffView, standing: string): Promise<void> {
  await editor.viewBecomes(view, (one) => one.standing === standing);
}

/** A session writes what was accepted, so that it is known to write here. */
export async function seenToWrite(test: RegistryUnderTest, session: string): Promise<void> {
  const { id } = test.open(session, "written\n", "/ws/written.ts");
  await test.editor.nextView();
  await test.registry.accept(id);
  await test.clock.advanceAsync(200);
}
