import type { AgentAsk, AgentWish } from "./messages/agent-wish.ts";
import type { ShellMessage } from "./messages/shell.ts";
import { visibleText } from "./views/widgets/visible-text.ts";

/** In a page that stands by itself: asks for an agent that is to be added. `say` tells the server what the user wants, once. */
export function askForAgent(
  { ask, words }: Extract<ShellMessage, { readonly type: "agent" }>,
  say: (wish: AgentWish | undefined) => void,
): void {
  // What came of a try takes the place of what was asked before.
  document.querySelector("dialog.agent")?.remove();
  const { dialog, form } = frame(words["title"] ?? "");
  let wish: AgentWish | undefined;
  const { trial } = ask;
  const hasAnswered = trial?.kind === "answered";
  const command = field(words["command"], ask.command);
  const hint = paragraph(words["hint"] ?? "");
  hint.className = "note";
  form.append(command.label, hint);
  if (trial !== undefined) form.append(outcome(trial, words));
  const name = trial === undefined ? undefined : field(words["name"], hasAnswered ? nameOf(trial.name) : "");
  if (name !== undefined) form.append(name.label);
  const leave = (chosen: AgentWish | undefined): void => {
    wish = chosen;
    dialog.close();
  };
  const trying = (): void => {
    const value = command.input.value.trim();
    if (value === "") return command.input.focus();
    for (const part of [command.input, name?.input, tries, saves]) part?.setAttribute("disabled", "");
    row.before(paragraph(words["trying"] ?? "", "status"));
    say({ kind: "try", command: value });
  };
  // A command that has been changed is another one: what was seen of the one before does not count for it.
  const isTried = (): boolean => trial !== undefined && command.input.value.trim() === ask.command;
  const tries = button(words["try"], trying);
  const saves = button(words[hasAnswered ? "add" : "anyway"], () => {
    if (isTried()) leave({ kind: "save", name: name?.input.value ?? "" });
  });
  tries.type = hasAnswered ? "button" : "submit";
  saves.type = hasAnswered ? "submit" : "button";
  (hasAnswered ? saves : tries).classList.add("primary");
  command.input.addEventListener("input", () => {
    saves.disabled = !isTried();
  });
  const row = document.createElement("div");
  row.append(
    button(words["cancel"], () => leave(undefined)),
    ...(hasAnswered ? [tries, saves] : trial === undefined ? [tries] : [saves, tries]),
  );
  form.append(row);
  form.addEventListener("submit", (event) => event.preventDefault());
  dialog.addEventListener("close", () => {
    dialog.remove();
    // Also while something is tried: nobody waits for it any more.
    say(wish);
  });
  document.body.append(dialog);
  dialog.showModal();
  if (hasAnswered) name?.input.focus();
  else command.input.focus();
}

/** The name alone: versions change. */
const nameOf = (answered: string): string => answered.replace(/ v?\d[\w.+-]*$/u, "");

function outcome(trial: NonNullable<AgentAsk["trial"]>, words: Readonly<Record<string, string>>): HTMLElement {
  const found = document.createElement("div");
  found.className = `agent-${trial.kind}`;
  found.setAttribute("role", trial.kind === "failed" ? "alert" : "status");
  if (trial.kind === "answered") {
    const { name, signIn } = trial;
    const methods = signIn.map(visibleText).join(", ");
    found.append(
      paragraph((words["answered"] ?? "").replace("{name}", () => visibleText(name))),
      paragraph(methods === "" ? words["noSignIn"] : (words["signIn"] ?? "").replace("{methods}", () => methods)),
    );
    return found;
  }
  found.append(paragraph(visibleText(trial.reason)));
  if (trial.words === "") return found;
  const said = document.createElement("pre");
  said.tabIndex = 0;
  said.setAttribute("aria-label", words["words"] ?? "");
  said.textContent = visibleText(trial.words);
  found.append(paragraph(words["words"]), said);
  return found;
}

function frame(title: string): {
  readonly dialog: HTMLDialogElement;
  readonly form: HTMLFormElement;
} {
  const dialog = document.createElement("dialog");
  dialog.className = "shell agent";
  dialog.setAttribute("aria-label", title);
  const heading = document.createElement("h2");
  heading.textContent = title;
  const form = document.createElement("form");
  form.append(heading);
  dialog.append(form);
  return { dialog, form };
}

function field(
  text: string | undefined,
  value: string,
): { readonly label: HTMLLabelElement; readonly input: HTMLInputElement } {
  const label = document.createElement("label");
  const input = document.createElement("input");
  input.className = "field";
  input.type = "text";
  input.value = value;
  input.spellcheck = false;
  input.autocomplete = "off";
  label.append(text ?? "", input);
  return { label, input };
}

function paragraph(text: string | undefined, role?: string): HTMLParagraphElement {
  const made = document.createElement("p");
  made.textContent = text ?? "";
  if (role !== undefined) made.setAttribute("role", role);
  return made;
}

function button(label: string | undefined, onClick: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.className = "button";
  made.type = "button";
  made.textContent = label ?? "";
  made.addEventListener("click", onClick);
  return made;
}
