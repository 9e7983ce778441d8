import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { panelReadersToo } from "../../agents/index.ts";
import { panelProgram } from "../../agents/panel-agent.ts";
import { nodeBinary } from "../../prerequisites/components.ts";
import type { Lab } from "../../support/lab.ts";

function settingsDirectory(lab: Lab): string {
  return join(lab.root, "coc-config");
}

/** The user's settings, among them how the panel starts the agents. */
export async function writeSettings(lab: Lab, settings: Readonly<Record<string, unknown>>): Promise<void> {
  const agents = Object.fromEntries(panelReadersToo.map((id) => [id, { program: panelProgram(lab, id) }]));
  const text = JSON.stringify({ "patchbay.panel.agents": agents, ...settings });
  await writeFile(join(settingsDirectory(lab), "coc-settings.json"), text);
}

/** Writes what the editor and coc read when they start. */
export async function configure(lab: Lab, runtime: readonly string[]): Promise<void> {
  await mkdir(settingsDirectory(lab), { recursive: true });
  await writeSettings(lab, {});
  const lines = [
    "set nocompatible nomore hidden noswapfile laststatus=2 ttimeout ttimeoutlen=10",
    "filetype plugin on",
    "syntax on",
    "set statusline=%f\\ %m%=%{patchbay#status()}",
    `let g:coc_data_home = '${join(lab.root, "coc-data")}'`,
    `let g:coc_config_home = '${settingsDirectory(lab)}'`,
    `let g:coc_node_path = '${nodeBinary()}'`,
    `set runtimepath^=${runtime.join(",")}`,
    `source ${join(lab.root, "link.vim")}`,
    // Other tab pages go first: Neovim 0.10 ends with a segmentation fault when a buffer is wiped in one with a notice in it.
    "function! E2eClear()",
    "  silent! tabonly!",
    "  for info in getbufinfo()",
    "    if info.listed || has_key(info.variables, 'patchbay_review') || getbufvar(info.bufnr, '&buftype') ==# 'terminal'",
    "      execute 'silent! bwipeout!' info.bufnr",
    "    endif",
    "  endfor",
    "endfunction",
  ];
  await writeFile(join(lab.root, "vimrc"), `${lines.join("\n")}\n`);
}

/** Processes of the agents, which their launchers note. */
export async function agentProcesses({ root }: Lab): Promise<readonly number[]> {
  const files = (await readdir(root)).filter((name) => name.startsWith("pid-"));
  return await Promise.all(files.map(async (name) => Number(await readFile(join(root, name), "utf8"))));
}

/** What coc has logged. */
export async function logsOf({ temporary }: Lab): Promise<string> {
  const names = await readdir(temporary, { recursive: true }).catch(() => []);
  const logs = names.filter((name) => name.endsWith("coc-nvim.log"));
  const parts = logs.map(async (name) => `== ${name}\n${await readFile(join(temporary, name), "utf8")}`);
  return (await Promise.all(parts)).join("\n");
}
