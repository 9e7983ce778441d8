import { connect, createServer, type Server, type Socket } from "node:net";
import type { Platform } from "../platform/platform.ts";
import { errorCodeOf, messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";

/** A question is a name and a folder. */
const longestQuestionBytes = 65_536;

/** A connection has one question; who says nothing for so long, ms, has none. */
const patienceMs = 6_000;

const mostConnections = 16;

export interface QuestionSocketOptions {
  readonly platform: Pick<Platform, "files" | "random">;
  readonly logger: Logger;
  /** In a directory that is this user's alone. */
  readonly path: string;
  /** The answer to a message; undefined: there is none. May reject. */
  readonly reply: (message: unknown) => Promise<unknown>;
}

/** A listener on a socket that is one for all programs of a user. */
export interface QuestionSocket {
  /** The socket's file goes, if it is still this one's. Never rejects. */
  close(): Promise<void>;
}

/**
 * Answers messages of JSON, each behind its length (four bytes, the lowest first), on a Unix socket; undefined where another program does so
 * already. Rejects where nobody can listen there.
 */
export async function listenForQuestions(options: QuestionSocketOptions): Promise<QuestionSocket | undefined> {
  const { platform, logger, path, reply } = options;
  const { files, random } = platform;
  if (await isAnswered(path)) return undefined;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    serve(socket, reply);
  });
  server.maxConnections = mostConnections;
  server.unref();
  // Under another name first: what takes the place of one that nobody answers is there at once, and is this user's alone.
  const own = `${path}.${random.token(6)}`;
  await listen(server, own);
  try {
    await files.chmod(own, 0o600);
    await files.rename(own, path);
  } catch (error) {
    server.close();
    await files.remove(own).catch(() => undefined);
    throw error;
  }
  const id = (await files.lstat(path))?.id;
  server.on("error", (error) => logger.warn("The socket failed", { cause: messageOf(error) }));
  return {
    close: async () => {
      for (const socket of open) socket.destroy();
      const facts = await files.lstat(path).catch(() => undefined);
      server.close();
      // Another program may have put its own in the place of this one.
      if (facts !== undefined && facts.id === id) await files.remove(path).catch(() => undefined);
    },
  };
}

/** Whether somebody listens. What is there and answers nobody was left by a program that was killed. */
async function isAnswered(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ path });
    const done = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", () => done(true));
    // One that takes no more connections now is there.
    socket.once("error", (error) => done(!["ENOENT", "ECONNREFUSED"].includes(String(errorCodeOf(error)))));
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function serve(socket: Socket, reply: (message: unknown) => Promise<unknown>): void {
  let rest = Buffer.alloc(0);
  socket.setTimeout(patienceMs, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4) {
      const length = rest.readUInt32LE(0);
      if (length > longestQuestionBytes) {
        socket.destroy();
        return;
      }
      if (rest.length < 4 + length) return;
      const text = rest.toString("utf8", 4, 4 + length);
      rest = rest.subarray(4 + length);
      answer(socket, text, reply).catch(() => socket.destroy());
    }
  });
}

async function answer(socket: Socket, text: string, reply: (message: unknown) => Promise<unknown>): Promise<void> {
  const message = await reply(JSON.parse(text));
  if (message === undefined || socket.destroyed) return;
  const body = Buffer.from(JSON.stringify(message), "utf8");
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length, 0);
  socket.write(Buffer.concat([head, body]));
}
