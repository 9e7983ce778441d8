import { delimiter, join } from "node:path";
import * as z from "zod";
import { type AgentDriverOptions, toCrLf, withByteOrderMark } from "../agent-driver.ts";
import { CompanionSpecDriver, familyClientName } from "../gemini-family/driver.ts";
import { type CompanionAddress, type DiscoveryFile, isAlive, isWithinReal, readDiscoveryFiles } from "../records.ts";

/** Speaks as Gemini CLI 0.61.0 does. */
export function createGeminiDriver(options: AgentDriverOptions): CompanionSpecDriver {
  return new CompanionSpecDriver(
    {
      dialect: "gemini",
      agentName: "Gemini CLI",
      clientName: familyClientName,
      clientVersion: "0.61.0",
      protocolVersion: "2025-06-18",
      find: (where) => {
        const found = findGeminiCompanion(where);
        return found === undefined ? [] : [found];
      },
      failsOnRefusal: true,
      toWire: (text, tool, file) => (tool === "edit" && file.hasByteOrderMark ? withByteOrderMark(text) : text),
      toDisk: (text, file) => (file.usesCrLf ? toCrLf(text) : text),
    },
    options,
  );
}

// Places, names and rules are spelled here and not taken from core: as the client was seen to go by them, so that a driver
// that finds a companion shows that the client would.

const recordSchema = z.object({
  port: z.union([z.number(), z.string().transform(Number)]),
  workspacePath: z.string().optional(),
  authToken: z.string().optional(),
  ideInfo: z.object({ name: z.string(), displayName: z.string() }).optional(),
});

const namePattern = /^gemini-ide-server-(\d+)-(\d+)\.json$/;

interface Candidate {
  readonly file: DiscoveryFile;
  readonly pid: number;
  readonly record: z.infer<typeof recordSchema>;
}

/**
 * Finds the one companion that Gemini CLI 0.61.0 would try, or undefined (docs/protocols/gemini.md, discovery): the
 * legacy record of its own pid, else the best ranked record whose workspace holds the working directory, else what
 * the environment says.
 */
export function findGeminiCompanion(options: AgentDriverOptions): CompanionAddress | undefined {
  const environment = options.environment ?? {};
  const directory = join(options.temporaryDirectory, "gemini", "ide");
  const ownPid = Number(environment["GEMINI_CLI_IDE_PID"] ?? options.idePid ?? process.pid);
  const legacy = candidates(readDiscoveryFiles(directory, new RegExp(`^gemini-ide-server-${ownPid}\\.json$`)), ownPid);
  const matching = candidates(readDiscoveryFiles(directory, namePattern)).filter((candidate) =>
    workspaceHolds(candidate.record.workspacePath, options.cwd),
  );
  const environmentPort = Number(environment["GEMINI_CLI_IDE_SERVER_PORT"] ?? 0);
  const best =
    legacy[0] ?? matching.sort((a, b) => rank(b, ownPid, environmentPort) - rank(a, ownPid, environmentPort))[0];
  if (best === undefined) return fromEnvironment(environment, options.cwd);
  // Without both names only a few terminals are accepted, none of which a driver pretends to be.
  if (best.record.ideInfo === undefined) return undefined;
  const { port, authToken, ideInfo } = best.record;
  return { port, token: authToken, editorName: ideInfo.displayName, record: best.file.path };
}

function candidates(files: readonly DiscoveryFile[], pidOfLegacy?: number): Candidate[] {
  const uid = process.getuid?.();
  return files.flatMap((file) => {
    const parsed = recordSchema.safeParse(file.content);
    if (!parsed.success || (uid !== undefined && file.uid !== uid)) return [];
    return [{ file, record: parsed.data, pid: pidOfLegacy ?? Number(namePattern.exec(file.name)?.[1] ?? 0) }];
  });
}

function rank(candidate: Candidate, ownPid: number, environmentPort: number): number {
  const tiers = [candidate.record.port === environmentPort, candidate.pid === ownPid, isAlive(candidate.pid)];
  // Each tier outweighs all below it; among equals the largest pid wins.
  return tiers.reduce((sum, holds, index) => sum + (holds ? 2 ** (40 - index) : 0), candidate.pid);
}

function workspaceHolds(workspacePath: string | undefined, cwd: string): boolean {
  if (workspacePath === undefined || workspacePath === "") return false;
  // An empty segment matches any directory: a quirk of the client that a companion must never trigger.
  return workspacePath.split(delimiter).some((root) => root === "" || isWithinReal(decodeUri(root), cwd));
}

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function fromEnvironment(environment: Readonly<Record<string, string>>, cwd: string): CompanionAddress | undefined {
  const port = Number(environment["GEMINI_CLI_IDE_SERVER_PORT"] ?? 0);
  if (port === 0 || !workspaceHolds(environment["GEMINI_CLI_IDE_WORKSPACE_PATH"], cwd)) return undefined;
  return { port, token: environment["GEMINI_CLI_IDE_AUTH_TOKEN"], editorName: "IDE", record: undefined };
}
