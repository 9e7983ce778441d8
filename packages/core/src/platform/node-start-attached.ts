import { Socket } from "node:net";
import process from "node:process";
import { asChild, orphaning, pipeNumber, spawnApart, type Spawning } from "./node-start-detached.ts";
import type { ProgramPipe } from "./platform.ts";

/**
 * Reads the program from its first line, and calls it with those that follow. It is all that stands in the arguments; what
 * costs memory is loaded by the program once it has something to do.
 */
const reader = `let rest="",program;const{stdin}=process;stdin.setEncoding("utf8");
stdin.on("data",(text)=>{const lines=(rest+text).split("\\n");rest=lines.pop();
for(const line of lines)program===undefined?(program=(0,eval)(JSON.parse(line))):program(line)});
stdin.on("error",()=>undefined);stdin.on("close",()=>program===undefined?process.exit():program());`;

/** See `Processes.startAttached`. */
export async function startAttached(program: string, descriptor: number | undefined): Promise<ProgramPipe | undefined> {
  const apart = { command: orphaning("-e", reader), input: pipeNumber, descriptor };
  const started = process.platform === "win32" ? undefined : await start(apart, program);
  return started ?? (await start({ command: asChild("-e", reader), input: 0, descriptor }, program));
}

async function start(spawning: Spawning, program: string): Promise<ProgramPipe | undefined> {
  const child = spawnApart(spawning);
  const pipe = child?.stdio[spawning.input];
  if (child === undefined || !(pipe instanceof Socket)) return undefined;
  return await new Promise((resolve) => {
    child.on("error", () => resolve(undefined));
    // It has ended, and what is sent from now on reaches nobody.
    pipe.on("error", () => resolve(undefined));
    child.on("spawn", () => {
      child.unref();
      pipe.unref();
      pipe.write(`${JSON.stringify(program)}\n`);
      resolve({
        send: (line) => {
          if (pipe.writable) pipe.write(`${line}\n`);
        },
        end: () => void pipe.end(),
      });
    });
  });
}
