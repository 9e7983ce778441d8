import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, createCompanion, createNodePlatform, type Logger } from "@patchbay/core";
import { createMemoryEditor, PuppetAgent } from "@patchbay/testkit";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { type PagePanel, PageReviews, startPagePanel } from "../../src/server/index.ts";

export interface ServerLabOptions {
  readonly agent?: Pick<PuppetAgent, "id" | "name" | "program"> | undefined;
  /** The real page; else files that stand for it. */
  readonly pageDirectory?: string;
  readonly port?: number;
  readonly deskSecret?: string;
  readonly beginWith?: string;
  readonly clock?: Clock;
  /** The disk of an earlier run. */
  readonly root?: string;
}

/** A server on a real port, with a folder and storage of its own. */
export class ServerLab {
  readonly root: string;
  readonly folder: string;
  readonly logged: string[] = [];
  readonly panel: PagePanel;
  isIdle = false;

  private constructor(root: string, folder: string, make: (lab: () => ServerLab, logged: string[]) => PagePanel) {
    this.root = root;
    this.folder = folder;
    this.panel = make(() => this, this.logged);
  }

  static async start(options: ServerLabOptions = {}): Promise<ServerLab> {
    const { agent } = options;
    const root = options.root ?? realpathSync(mkdtempSync(join(tmpdir(), "patchbay-page-")));
    const folder = join(root, "work");
    mkdirSync(folder, { recursive: true });
    mkdirSync(join(root, "page"), { recursive: true });
    for (const name of ["panel.js", "panel.css", "connect.js"]) writeFileSync(join(root, "page", name), "/* page */");
    const real = createNodePlatform();
    const platform = options.clock === undefined ? real : { ...real, clock: options.clock };
    const logged: string[] = [];
    const note = (message: string): void => void logged.push(message);
    const logger: Logger = { debug: () => {}, info: () => {}, warn: note, error: note };
    const reviews = new PageReviews();
    const memory = createMemoryEditor({
      folders: [folder],
      storageDirectory: join(root, "storage"),
      readDisk: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
    });
    const { identity, workspace, editors, messages, documents, storageDirectory } = memory;
    const host = { identity, workspace, editors, messages, documents, storageDirectory, diffs: reviews };
    const companion = createCompanion({ host, platform });
    const following = reviews.attach(companion);
    let lab: ServerLab | undefined;
    const panel = await startPagePanel({
      host,
      companion,
      reviews,
      platform,
      logger,
      version: "0.0.0",
      locale: "en",
      storageDirectory: join(root, "storage"),
      pageDirectory: options.pageDirectory ?? join(root, "page"),
      port: options.port,
      deskSecret: options.deskSecret,
      beginWith: options.beginWith,
      onIdle: () => {
        if (lab !== undefined) lab.isIdle = true;
      },
      settings: {
        agents: () => (agent === undefined ? {} : { [agent.id]: { name: agent.name, program: agent.program } }),
        autosave: () => true,
        reasonNotToStart: () => undefined,
      },
    });
    lab = new ServerLab(root, folder, () => panel);
    const made = lab;
    Object.assign(made.logged, logged);
    const end = logged.push.bind(logged);
    logged.push = (...lines) => {
      made.logged.push(...lines);
      return end(...lines);
    };
    onTestFinished(async () => {
      await panel.close();
      following.dispose();
      await companion.stop();
      if (options.root === undefined) rmSync(root, { recursive: true, force: true });
    });
    return made;
  }
}
