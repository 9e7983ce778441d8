import { argv, execPath, stdout } from "node:process";
import { tmpdir } from "node:os";
import { createNodeChildren } from "../../src/process/node-children.ts";

/** An editor with an agent that goes on whatever happens to its input, and with a command in a group of its own. Run by a test. */
const [, , script = ""] = argv;
await createNodeChildren().start(
  { program: execPath, args: ["-e", script], cwd: tmpdir(), environment: {} },
  {
    onOutput: (chunk) => void stdout.write(chunk),
    onErrorOutput: () => undefined,
    onExit: () => undefined,
  },
);
setInterval(() => undefined, 1_000);
