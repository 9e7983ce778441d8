// @vitest-environment jsdom
import "../../support/browser.ts";
import { ClipboardService } from "@theia/core/lib/browser/clipboard-service";
import { Widget } from "@theia/core/lib/browser/widgets/widget";
import { CommandRegistry } from "@theia/core/lib/common/command";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { Container, type interfaces } from "@theia/core/shared/inversify";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { expect, it, onTestFinished } from "vitest";
import { DiagnosisWidget } from "../../../src/browser/contributions/diagnosis-widget.ts";
import { PatchbayServer } from "../../../src/common/protocol.ts";

it("explains a problem when its user wants that, asking once", async () => {
  const asked: string[] = [];
  const container = new Container({ defaultScope: "Singleton" });
  const stand = (what: interfaces.ServiceIdentifier, value: object): void =>
    void container.bind<unknown>(what).toConstantValue(value);
  stand(PatchbayServer, {
    examine: async () => [
      { code: "folders-open", level: "ok", agents: [], values: { folders: ["/w"] } },
      { code: "no-agent-connected", level: "hint", agents: [], values: {} },
    ],
    explain: async (code: string) => {
      asked.push(code);
      const parts = [
        { kind: "text", text: "Type `/ide enable` in it." },
        { kind: "heading", text: "What to do" },
        { kind: "command", text: "patchbay doctor" },
      ];
      return { code, title: "No agent is connected", parts, markdown: "" };
    },
  });
  stand(PreferenceService, { inspect: () => undefined, get: (_name: string, fallback: unknown) => fallback });
  stand(EditorManager, {});
  stand(CommandRegistry, { isEnabled: () => true });
  stand(ClipboardService, {});
  container.bind(DiagnosisWidget).toSelf();
  const widget = container.get(DiagnosisWidget);
  onTestFinished(() => widget.dispose());
  // Theia's scroll bars measure what is on a screen.
  Object.assign(widget, { scrollOptions: undefined });
  Widget.attach(widget, document.body);
  const details = (): readonly HTMLDetailsElement[] => Array.from(widget.node.querySelectorAll("details"));
  await expect.poll(() => details().map(({ textContent }) => textContent)).toEqual(["Explain"]);
  expect(asked).toEqual([]);

  const [first] = details();
  const toggle = (open: boolean): void => {
    first?.toggleAttribute("open", open);
    first?.dispatchEvent(new Event("toggle"));
  };
  toggle(true);
  await expect.poll(() => first?.querySelector("h3")?.textContent).toBe("What to do");
  // Commands are told from the sentence by their form, and stay on lines of their own.
  expect(first?.querySelector("pre")?.textContent).toBe("patchbay doctor");
  expect(Array.from(first?.querySelectorAll("code") ?? [], ({ textContent }) => textContent)).toContain("/ide enable");
  expect(first?.textContent).not.toContain("`");
  toggle(false);
  toggle(true);
  expect(asked).toEqual(["no-agent-connected"]);
});
