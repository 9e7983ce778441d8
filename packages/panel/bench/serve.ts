import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { benchDocument } from "../test/browser/panel-lab.ts";

const ownDist = join(import.meta.dirname, "..", "dist");
const types: Readonly<Record<string, string>> = { ".js": "text/javascript", ".css": "text/css" };

/**
 * A page that does nothing but what it is told: what streams becomes text nodes, and there is a field to type into. Nothing can
 * be faster in the same browser, and what it takes is taken by the measuring itself.
 */
const bare = `<!doctype html>
<meta charset="utf-8">
<style>textarea { width: 100%; } main { height: 600px; overflow: auto; }</style>
<main><div class="message"></div></main><textarea></textarea>
<script>
const message = document.querySelector(".message");
globalThis.panelBench = {
  history: () => {},
  begin: () => message.append(document.createElement("p")),
  chunk: (text) => message.lastElementChild.append(text),
  end: () => {},
};
</script>
`;

/** Serves the page with its bench at `/`, and the bare one at `/bare`, on loopback: what stands between would be measured. `dist`: of another build. */
export async function serveBench(
  dist: string = ownDist,
): Promise<{ readonly address: string; readonly close: () => void }> {
  let address = "";
  const server = createServer(({ url = "/" }, response) => {
    const { pathname } = new URL(url, address);
    const file = join(dist, pathname);
    const isOurs = pathname === "/" || pathname === "/bare";
    if (isOurs) {
      response.setHeader("content-type", "text/html");
      response.end(pathname === "/" ? benchDocument({ source: address }) : bare);
    } else if (/^\/(?:page|bench)\/[\w.-]+$/u.test(pathname) && existsSync(file)) {
      response.setHeader("content-type", types[extname(file)] ?? "text/plain");
      response.end(readFileSync(file));
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("The bench is not served.");
  address = `http://127.0.0.1:${bound.port}`;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { address, close };
}
