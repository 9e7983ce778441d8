import { createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { mustRun } from "../../support/processes.ts";

/** Looks into a running Vim or Neovim without touching it: keys are pressed elsewhere. */
export interface EditorLink {
  /** The value of a Vim expression. */
  read(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

/** A channel that Vim opens to us. */
export interface VimLink extends EditorLink {
  /** What Vim runs at its start. */
  readonly script: string;
}

/** Listens for Vim's own JSON channel. */
export async function listenVimLink(): Promise<VimLink> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const connection = connectionOf(server);
  let last = 0;
  return {
    // Vim closes a channel that no variable holds.
    script: `let g:patchbay_e2e_link = ch_open('127.0.0.1:${port}', {'mode': 'json'})`,
    read: async (expression) => {
      last -= 1;
      return (await connection).ask(expression, last);
    },
    close: async () => {
      server.close();
      await Promise.race([connection.then((one) => one.end()), Promise.resolve()]);
    },
  };
}

interface Connection {
  ask(expression: string, id: number): Promise<unknown>;
  end(): void;
}

async function connectionOf(server: Server): Promise<Connection> {
  const socket = await new Promise<Socket>((resolve) => server.once("connection", resolve));
  const waiting = new Map<number, (value: unknown) => void>();
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      if (line.trim() === "") continue;
      const message: unknown = JSON.parse(line);
      if (!Array.isArray(message)) continue;
      const [id, value]: unknown[] = message;
      if (typeof id === "number") waiting.get(id)?.(value);
    }
  });
  // A killed editor resets the connection; who reads from it is told by the time limit.
  socket.on("error", () => socket.destroy());
  return {
    ask: (expression, id) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`Vim does not answer (${expression}); is a prompt open?`)),
          5_000,
        );
        waiting.set(id, (value) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(value);
        });
        socket.write(`${JSON.stringify(["expr", expression, id])}\n`);
      }),
    end: () => socket.destroy(),
  };
}

/** Asks through Neovim's own server. */
export function createNeovimLink(command: string, socket: string): EditorLink {
  return {
    read: async (expression) => {
      const args = ["--server", socket, "--remote-expr", `json_encode(${expression})`];
      const { stdout } = await mustRun(command, args, { timeout: 5_000 });
      const value: unknown = JSON.parse(stdout);
      return value;
    },
    close: async () => {},
  };
}
