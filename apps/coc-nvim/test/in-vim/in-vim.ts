import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { isShape, type Shape } from "../../src/vim/shape.ts";

/** An editor on this machine that can run the scripts of autoload. */
export interface RealVim {
  readonly name: "Vim" | "Neovim";
  readonly program: string;
}

/** A message of the scripts to lib, as `patchbay#tell()` sends it. */
type Told = readonly [kind: string, subject: string, detail?: unknown];

/** What a script leaves: its own facts, and what was told to lib. */
export interface Outcome {
  readonly facts: Shape;
  readonly told: readonly Told[];
}

const autoload = join(import.meta.dirname, "..", "..");

/** Stand-ins for what the scripts call in coc.nvim, and the words in which tests are written. */
const prelude = `
let g:facts = {}
let g:told = []
" What is to be waited for after the script, when the editor waits for keys again.
let g:until = '1'
let g:coc_service_initialized = 1
function! CocActionAsync(action, command, ...) abort
  call add(g:told, a:000)
endfunction
" As lib sends it: one letter for the name, the proposal's lines, anything else.
function! Propose(id, path, lines, ...) abort
  return patchbay#review#open(extend({
        \\ 'id': a:id, 'path': a:path, 'agent': 'Gemini CLI', 'title': fnamemodify(a:path, ':t'), 'kind': 'change',
        \\ 'leftName': 'patchbay://' . a:id . '/now: ' . fnamemodify(a:path, ':t'),
        \\ 'rightName': 'patchbay://' . a:id . '/Gemini CLI: ' . fnamemodify(a:path, ':t'),
        \\ 'proposal': {'lines': a:lines, 'format': 'unix', 'newline': 1},
        \\ 'original': {'lines': filereadable(a:path) ? readfile(a:path) : [], 'format': 'unix', 'newline': 1},
        \\ 'unsaved': 0, 'standing': 'unchanged',
        \\ 'present': 1, 'terminal': 0, 'layout': 'tab', 'focus': 0, 'hints': 1,
        \\ 'keys': {'accept': '<leader>pa', 'reject': '<leader>pr', 'next': '<leader>pn', 'previous': '<leader>pp'},
        \\ }, get(a:000, 0, {})))
endfunction
" As lib sends a change of the file: both sides anew.
function! Update(id, left, right, ...) abort
  let All = {lines, number -> {'edits': [[1, number, len(lines)]], 'lines': lines, 'format': 'unix', 'newline': 1}}
  let review = patchbay#review#find(a:id)
  return patchbay#sides#update(a:id, extend({
        \\ 'tick': patchbay#sides#text(a:id).tick, 'edited': 0, 'unsaved': 0, 'standing': 'merged',
        \\ 'left': All(a:left, len(getbufline(review.left, 1, '$'))),
        \\ 'right': All(a:right, len(getbufline(review.right, 1, '$'))),
        \\ 'proposal': {'lines': a:right, 'format': 'unix', 'newline': 1},
        \\ }, get(a:000, 0, {})))
endfunction
function! Review(id) abort
  return patchbay#go#to(a:id)
endfunction
" What was put off until later happens now.
let g:others = map(timer_info(), 'v:val.id')
function! Later() abort
  sleep 1m
  while !empty(filter(timer_info(), 'index(g:others, v:val.id) < 0'))
    sleep 1m
  endwhile
endfunction
" Keys as if typed, and what follows from them.
function! Type(keys) abort
  call feedkeys(a:keys, 'xt')
  call Later()
endfunction
" What was said so far, however often.
function! Said(text) abort
  return count(execute('messages'), a:text)
endfunction
function! Names() abort
  return map(range(1, winnr('$')), {_, number -> fnamemodify(bufname(winbufnr(number)), ':t')})
endfunction
`;

/** The editors found: those named by PATCHBAY_VIM and PATCHBAY_E2E_NVIM, else those on the path that are new enough. */
export function findVims(): readonly RealVim[] {
  const found: RealVim[] = [];
  const vim = process.env["PATCHBAY_VIM"] ?? onPath("vim");
  if (vim !== undefined && can(vim, "has('patch-9.0.438') && has('diff') && has('timers')")) {
    found.push({ name: "Vim", program: vim });
  }
  const neovim = process.env["PATCHBAY_E2E_NVIM"] ?? onPath("nvim");
  if (neovim !== undefined && can(neovim, "has('nvim-0.8')")) found.push({ name: "Neovim", program: neovim });
  return found;
}

/** A folder with files, and the editor that runs scripts in it. */
export class VimFolder {
  readonly path: string = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-vim-")));
  readonly #vim: RealVim;
  readonly #limitMs: number;

  /** @param limitMs Longest that a script may take: one that waits for a key would wait for ever. */
  constructor(vim: RealVim, limitMs = 20_000) {
    this.#vim = vim;
    this.#limitMs = limitMs;
    const stub = join(this.path, ".stub", "autoload", "coc");
    mkdirSync(stub, { recursive: true });
    writeFileSync(
      join(stub, "rpc.vim"),
      "function! coc#rpc#ready() abort\n  return get(g:, 'is_ready', 1)\nendfunction\n",
    );
  }

  write(name: string, contents: string | Buffer): string {
    const path = join(this.path, name);
    writeFileSync(path, contents);
    return path;
  }

  read(name: string): Buffer {
    return readFileSync(join(this.path, name));
  }

  /** Runs lines of Vim script. What they put into `g:facts` comes back. */
  async run(...lines: readonly string[]): Promise<Outcome> {
    const script = join(this.path, ".script.vim");
    const start = join(this.path, ".start.vim");
    const result = join(this.path, ".result.json");
    rmSync(result, { force: true });
    // Run when the editor waits for keys, as it does when lib calls.
    writeFileSync(
      start,
      [
        "function! StartScript(timer) abort",
        `  source ${script}`,
        "endfunction",
        "autocmd VimEnter * call timer_start(1, 'StartScript')",
      ].join("\n"),
    );
    writeFileSync(
      script,
      [
        `set runtimepath^=${autoload},${join(this.path, ".stub")}`,
        "set nomore noswapfile ttimeout ttimeoutlen=1 columns=120 lines=40",
        prelude,
        "try",
        ...lines,
        "catch",
        "  let g:facts.failed = v:exception . ' at ' . v:throwpoint",
        "endtry",
        "let g:started = reltime()",
        "function! Finish(timer) abort",
        "  if !eval(g:until) && reltimefloat(reltime(g:started)) < 5",
        "    call timer_start(5, 'Finish')",
        "    return",
        "  endif",
        "  if g:until !=# '1' | let g:facts.until = eval(g:until) | endif",
        `  call writefile([json_encode({'facts': g:facts, 'told': g:told})], '${result}')`,
        "  qall!",
        "endfunction",
        "call timer_start(0, 'Finish')",
      ].join("\n"),
    );
    const { name, program } = this.#vim;
    const quiet = name === "Vim" ? ["-N", "-X", "--not-a-term", "-T", "dumb"] : ["--headless"];
    const args = [...quiet, "-u", "NONE", "-i", "NONE", "-n", "-S", start];
    const output = await new Promise<string>((resolve) => {
      // Its standard input stays open: at the end of it Vim ends.
      execFile(
        program,
        args,
        {
          cwd: this.path,
          // The user's own shell may do anything in its start files, which bash reads also where its input is a socket, as here.
          env: { ...process.env, LANG: "C.UTF-8", SHELL: "/bin/sh" },
          timeout: this.#limitMs,
          // No other signal ends an editor that waits for a shell.
          killSignal: "SIGKILL",
        },
        (_error, out, problems) => resolve(out + problems),
      );
    });
    if (!existsSync(result)) throw new Error(`${name} did not come to the script's end:\n${output.slice(-2_000)}`);
    const value: unknown = JSON.parse(readFileSync(result, "utf8"));
    if (!isOutcome(value)) throw new Error(`${name} wrote something else`);
    if (value.facts["failed"] !== undefined) throw new Error(JSON.stringify(value.facts["failed"]));
    return value;
  }

  dispose(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

function isOutcome(value: unknown): value is Outcome {
  return isShape(value) && isShape(value["facts"]) && Array.isArray(value["told"]);
}

function onPath(name: string): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((file) => existsSync(file));
}

/** Whether an editor is what the extension needs; Debian's vim-tiny, for one, has no expressions at all. */
function can(program: string, condition: string): boolean {
  try {
    const quit = `+if !(${condition}) | cquit | endif`;
    execFileSync(program, ["-u", "NONE", "-i", "NONE", "-n", "-e", "-s", quit, "+qall!"], {
      timeout: 10_000,
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}
