import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createTestPlatform, type FakeClock, createFakeClock, type TestPlatform } from "@patchbay/testkit";
import { createDiskDoor, FolderLedgers } from "@patchbay/turns";
import { onTestFinished } from "vitest";
import type { Conversation } from "../../src/conversation/conversation.ts";
import type { ConversationOptions } from "../../src/conversation/conversation-parts.ts";
import type { SessionHost } from "../../src/driver.ts";
import type { ConversationTurns } from "../../src/conversation/told-turns.ts";
import type { ChangedFile } from "../../src/model/changes.ts";
import { type Lab, makeLab, textBlock } from "./conversation-lab.ts";
import { noHost } from "./no-host.ts";

/** Conversations about a real folder, and the ledger of what is changed in it. */
export class LedgerLab {
  readonly platform: TestPlatform;
  readonly clock: FakeClock = createFakeClock(Date.now());
  readonly folder: string;
  readonly ledgers: FolderLedgers;
  readonly lab: Lab;

  constructor(options: Pick<Partial<ConversationOptions>, "connect"> = {}) {
    this.platform = createTestPlatform();
    onTestFinished(() => this.platform.dispose());
    this.folder = this.platform.workspace;
    this.ledgers = this.open();
    this.lab = this.labWith(this.ledgers, options);
  }

  /** The ledger as another window, or the command line, has it. */
  open(): FolderLedgers {
    const { folder, clock } = this;
    const platform = { ...this.platform, clock };
    const ledgers = new FolderLedgers({
      platform,
      storageDirectory: join(this.platform.root, "turns"),
      folders: [folder],
      mayKeep: () => true,
      door: createDiskDoor({ platform, folders: [folder] }),
    });
    onTestFinished(() => ledgers.dispose());
    return ledgers;
  }

  /** A window with conversations. */
  labWith(ledgers: FolderLedgers, options: Pick<Partial<ConversationOptions>, "connect"> = {}): Lab {
    const turns: ConversationTurns = {
      witness: ledgers,
      ledger: ledgers.conversations,
      agentName: () => "Claude Code",
    };
    const lab = makeLab({ ...options, turns, folder: this.folder, clock: this.clock });
    lab.host = this.host;
    return lab;
  }

  /** An editor without unsaved texts. */
  get host(): SessionHost {
    return {
      ...noHost,
      readText: async (path) => await Promise.resolve(existsSync(path) ? readFileSync(path, "utf8") : undefined),
      writeText: async (path, text) => await Promise.resolve(writeFileSync(path, text)),
    };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  read(name: string): string | undefined {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), "utf8") : undefined;
  }

  remove(name: string): void {
    rmSync(this.path(name));
  }

  /** A conversation; `lab`: of another window. */
  async conversation(lab: Lab = this.lab): Promise<Conversation> {
    const conversation = await lab.open();
    onTestFinished(async () => await conversation.close());
    return conversation;
  }

  /** A turn in which the agent does what `work` does; resolves with its prompt when all of it is in the ledger. */
  async turn(conversation: Conversation, work: (host: SessionHost) => Promise<void> | void): Promise<string> {
    const { lab } = this;
    const id = conversation.prompt([textBlock("go")]) ?? "";
    const isAsked = (): boolean => lab.sessions.some(({ prompts }) => prompts.some((one) => one.id === id));
    await poll(isAsked);
    await this.ledgers.settled();
    await work(lab.session.request.host);
    lab.session.end();
    await poll(() => conversation.snapshot().entries.at(-1)?.entry.kind === "turn-end");
    await this.ledgers.settled();
    return id;
  }

  /** The agent writes a file by itself, after its hook has told of it. */
  async writes(host: SessionHost, name: string, text: string): Promise<void> {
    await host.aboutToWrite?.(this.path(name));
    this.write(name, text);
    this.lab.session.say({ type: "file-changed", path: this.path(name), isAsked: false });
    await this.ledgers.settled();
  }

  /** A shell command of the agent. */
  async runs(id: string, work: () => void): Promise<void> {
    const tool = { kind: "tool", id, at: 0, tool: "execute", name: "Bash", title: "make" } as const;
    this.lab.session.tell({ ...tool, state: "running" });
    await this.ledgers.settled();
    work();
    this.lab.session.tell({ ...tool, state: "done" });
    await this.ledgers.settled();
  }

  /** Files of all turns as the panel shows them, in few words. */
  shown(conversation: Conversation): readonly string[] {
    return conversation.status.turns.flatMap(({ files }) => files.map((file) => this.#words(file)));
  }

  #words({ path, kind, mark, state }: ChangedFile): string {
    return `${path.slice(this.folder.length + 1)} ${kind} ${mark} ${state}`;
  }
}

async function poll(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise<void>((resolve) => setImmediate(resolve));
}
