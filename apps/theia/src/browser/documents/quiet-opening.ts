import { ApplicationShell } from "@theia/core/lib/browser/shell/application-shell";
import { inject, injectable } from "@theia/core/shared/inversify";

/** Milliseconds for which the area stays fenced off after a view has opened: editors ask for it once more when they have drawn. */
const watchMs = 300;

/** Lets views open without taking the keyboard away from whatever has it. */
@injectable()
export class QuietOpening {
  @inject(ApplicationShell)
  protected readonly shell: ApplicationShell;
  protected running = 0;
  /** How often the user has asked for a view. */
  protected wishes = 0;
  /** Views that are being brought to the front for the user. */
  protected coming = 0;

  /** Whether the keys go to an editor (or a terminal) in the area where views open: showing one there would hide it. */
  get isMainAreaInUse(): boolean {
    return document.hasFocus() && this.shell.mainPanel.node.contains(document.activeElement);
  }

  /**
   * Runs `open` while nothing in the editors' area can take the focus. Where the keys go to that area itself it cannot be
   * fenced off: then the focus is given back should it have moved, unless the user moved it.
   */
  async run<T>(open: () => Promise<T>): Promise<T> {
    const before = document.activeElement;
    const area = this.shell.mainPanel.node;
    const elsewhere = before !== null && before !== document.body && !area.contains(before);
    const pointer = new AbortController();
    const used = { byPointer: false };
    const { wishes } = this;
    const isOvertaken = this.coming > 0;
    document.addEventListener("pointerdown", () => (used.byPointer = true), { capture: true, signal: pointer.signal });
    if (elsewhere && !isOvertaken) this.fence(area, 1);
    try {
      return await open();
    } finally {
      window.setTimeout(() => {
        pointer.abort();
        // A view that the user has asked for since is not fenced off by what was opened before it.
        if (isOvertaken || wishes !== this.wishes) return;
        if (elsewhere) this.fence(area, -1);
        if (!used.byPointer) this.giveBack(before);
      }, watchMs);
    }
  }

  /** The user has asked for a view: it may take the focus, also while it or others are being opened, and keeps it. */
  async bringForward(activate: () => Promise<unknown>): Promise<void> {
    this.coming += 1;
    this.end();
    try {
      await activate();
    } finally {
      this.coming -= 1;
      this.end();
    }
  }

  protected end(): void {
    this.wishes += 1;
    this.running = 0;
    this.shell.mainPanel.node.inert = false;
  }

  protected fence(area: HTMLElement, step: 1 | -1): void {
    this.running += step;
    area.inert = this.running > 0;
  }

  protected giveBack(before: Element | null): void {
    if (before === null || !isFocusable(before) || !before.isConnected) return;
    const { activeElement: now, body } = before.ownerDocument;
    // Somewhere else altogether, a list or a dialog, is where the user went.
    const isTaken = now === null || now === body || this.shell.mainPanel.node.contains(now);
    if (before !== body && isTaken && now !== before) before.focus();
  }
}

/** Without the page's own classes: the page may be gone by then. */
function isFocusable(element: Element): element is HTMLElement {
  return "focus" in element;
}

/**
 * Theia's saving, to which proposals are no unsaved files: "Save All" before the application is left would accept them, and
 * the page would ask whether to leave although all of it is kept.
 */
export function savingWithoutProposals<T extends object, W>(service: T, isProposal: (widget: W) => boolean): T {
  const guarded = new Set<string | symbol>(["canSave", "canSaveNotSaveAs"]);
  return new Proxy(service, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (!guarded.has(name)) return member.bind(target);
      return (widget: W) => !isProposal(widget) && member.call(target, widget);
    },
  });
}
