import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { type Clock, PatchbayError } from "@patchbay/core";
import type { SessionStart } from "../driver.ts";
import { type AcpConnection, orLate } from "./connection.ts";
import { asksForSignIn, isSessionMissing } from "./failures.ts";
import type { Hearing } from "./hearing.ts";
import type { Reply } from "./json-rpc.ts";
import type { AcpProfile } from "./profiles.ts";

/** A server of the Model Context Protocol that the agent is to use, reached over HTTP. */
export interface HttpMcpServer {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How long the folder may take to be looked at, ms: one of the network may not answer at all. */
const folderMs = 5_000;

/** How long the rest of a replay is waited for, ms. */
const replayMs = 5_000;

/** How a session is opened. */
export interface OpeningOptions {
  readonly profile: AcpProfile;
  readonly clock: Clock;
  /** Absolute path of the folder in which the agent works. */
  readonly cwd: string;
  readonly start: SessionStart;
  /** There is no transcript of the session that is resumed: the agent is to tell what was said. */
  readonly wantsHistory?: boolean;
  readonly mcpServers?: readonly HttpMcpServer[];
}

/** What opening a session takes part in. */
export interface OpeningPlace {
  readonly connection: AcpConnection;
  readonly hearing: Hearing;
  /** The agent remembers nothing of the session that was to be continued. */
  onForgotten(detail: string | undefined): void;
}

/** As the start wants it; where the agent cannot, or has lost the session, a new one, and the user is told. */
export async function openSession(options: OpeningOptions, place: OpeningPlace): Promise<Reply> {
  const { start } = options;
  const { connection } = place;
  const setup = setupOf(options, connection);
  if (start.kind === "new") return await connection.request("session/new", setup);
  const reply = start.kind === "resume" ? await resume(start, options, place) : await fork(start, options, place);
  if (reply?.kind === "result" || reply?.kind === "closed") return reply;
  if (reply !== undefined && asksForSignIn(reply.error)) return reply;
  const fresh = await connection.request("session/new", setup);
  if (fresh.kind === "result") {
    place.onForgotten(reply === undefined || isSessionMissing(reply.error) ? undefined : reply.error.message);
  }
  return fresh;
}

/** Undefined: the agent cannot, or would lose the session. */
async function resume(
  { sessionId, begunAt }: SessionStart & { readonly kind: "resume" },
  options: OpeningOptions,
  { connection, hearing }: OpeningPlace,
): Promise<Reply | undefined> {
  const { profile, clock, wantsHistory } = options;
  const { agent } = connection;
  const resumes = agent.sessionActions.has("resume");
  const params = { sessionId, ...setupOf(options, connection) };
  if (agent.loadsSessions && (!resumes || wantsHistory === true)) {
    if (begunAt !== undefined && clock.now() - begunAt < profile.loadAfterMs) return undefined;
    hearing.beginReplay(sessionId);
    const replayed = profile.replaysUntilCommands ? hearing.untilCommands() : Promise.resolve();
    const reply = await connection.request("session/load", params);
    if (reply.kind === "result") await orLate(replayed, replayMs, clock);
    hearing.endReplay();
    return reply;
  }
  return resumes ? await connection.request("session/resume", params) : undefined;
}

/** A fork remembers all: up to a prompt is not in the protocol. */
async function fork(
  { sessionId, upTo }: SessionStart & { readonly kind: "fork" },
  options: OpeningOptions,
  { connection }: OpeningPlace,
): Promise<Reply | undefined> {
  if (upTo !== undefined || !connection.agent.sessionActions.has("fork")) return undefined;
  return await connection.request("session/fork", { sessionId, ...setupOf(options, connection) });
}

/** What every session is opened with. */
function setupOf(
  { cwd, mcpServers = [] }: OpeningOptions,
  { agent }: AcpConnection,
): { readonly cwd: string; readonly mcpServers: readonly unknown[] } {
  if (!agent.takesHttpServers) return { cwd, mcpServers: [] };
  const servers = mcpServers.map(({ name, url, headers }) => ({
    type: "http",
    name,
    url,
    headers: Object.entries(headers).map(([header, value]) => ({ name: header, value })),
  }));
  return { cwd, mcpServers: servers };
}

/** Some agents take a folder that is not there, and one that is relative to their own. */
export async function checkFolder(cwd: string, clock: Clock): Promise<void> {
  const found = isAbsolute(cwd)
    ? await orLate(
        stat(cwd).catch(() => undefined),
        folderMs,
        clock,
      )
    : undefined;
  if (found === "late") throw new PatchbayError("host-failed", `The folder ${cwd} does not respond.`);
  if (found?.isDirectory() === true) return;
  throw new PatchbayError("not-found", `The folder ${cwd} does not exist.`);
}
