import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PanelLab, whyNoBrowser } from "./panel-lab.ts";

const why = whyNoBrowser();

describe.skipIf(why !== undefined)(`images in a real browser (${why ?? "Chromium"})`, () => {
  let lab: PanelLab;
  let page: Page;

  beforeAll(async () => {
    lab = await PanelLab.start();
  });
  afterAll(async () => lab.close());
  afterEach(async () => page.context().close());

  const open = async (): Promise<void> => {
    ({ page } = await lab.open());
    await page.evaluate(() => {
      panelHost.open(panelSamples.conversation([], 0));
      panelHost.hello();
    });
    await page.locator("textarea").waitFor();
  };

  /** Pastes or drops a picture of so many pixels, of noise, in which nothing can be packed. */
  const give = async (how: "paste" | "drop", type: string, width: number, height = width): Promise<number> =>
    await page.evaluate(
      async ([event, mimeType, across, down]) => {
        const canvas = new OffscreenCanvas(across, down);
        const context = canvas.getContext("2d");
        const noise = new Uint8ClampedArray(across * down * 4);
        for (let at = 0; at < noise.length; at += 65_536) crypto.getRandomValues(noise.subarray(at, at + 65_536));
        context?.putImageData(new ImageData(noise, across, down), 0, 0);
        const blob = await canvas.convertToBlob({ type: "image/png" });
        const data = new DataTransfer();
        data.items.add(new File([blob], "screen.png", { type: mimeType }));
        const init = { bubbles: true, cancelable: true };
        const made =
          event === "paste"
            ? new ClipboardEvent("paste", { ...init, clipboardData: data })
            : new DragEvent("drop", { ...init, dataTransfer: data });
        document.querySelector("textarea")?.dispatchEvent(made);
        return blob.size;
      },
      [how, type, width, height] as const,
    );

  const sent = async (): Promise<{ readonly mimeType: string; readonly size: number }> => {
    await page.locator(".chip.removable").waitFor();
    await page.getByLabel("Send", { exact: true }).click();
    return await page.evaluate(() => {
      const [block] = panelHost.heard.flatMap((one) => (one.type === "send" ? one.blocks : []));
      if (block?.type !== "image") throw new Error("No image was sent.");
      return { mimeType: block.mimeType, size: (block.data.length * 3) / 4 };
    });
  };

  it("go with the message as they are, and are seen in full in it", async () => {
    await open();
    await give("paste", "image/png", 200);
    expect(await sent()).toMatchObject({ mimeType: "image/png" });
    await page.locator(".entry-prompt button.chip").click();
    const picture = page.locator(".picture");
    expect(await picture.getAttribute("alt")).toBe("screen.png");
    expect(await picture.evaluate((element) => element.clientWidth)).toBe(200);
    await page.locator(".entry-prompt button.chip").click();
    await picture.waitFor({ state: "detached" });
  });

  it("that are too large are made smaller", async () => {
    await open();
    expect(await give("drop", "image/png", 2_700, 600)).toBeGreaterThan(5 * 1024 * 1024);
    const { mimeType, size } = await sent();
    expect(mimeType).toBe("image/webp");
    expect(size).toBeLessThan(5 * 1024 * 1024);
  });

  it("that move and are too large are sent as a still, and that is said", async () => {
    await open();
    await give("paste", "image/gif", 100);
    await page.locator(".chip.removable").waitFor();
    expect(await page.getByText("Only its first frame is sent.").count()).toBe(0);
    await give("paste", "image/gif", 2_700, 600);
    await page.getByText("Only its first frame is sent.").waitFor();
    expect(await page.locator(".chip.removable").count()).toBe(2);
  });

  it("of a kind that no agent takes are sent as one that they take", async () => {
    await open();
    await give("paste", "image/x-unknown", 100);
    expect(await sent()).toMatchObject({ mimeType: "image/png" });
  });

  it("that are very thin are sent, too", async () => {
    await open();
    await give("paste", "image/x-unknown", 1, 6_000);
    expect(await sent()).toMatchObject({ mimeType: "image/png" });
  });

  it("that the browser cannot read are refused, and so are all where the agent takes none", async () => {
    await open();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["no picture"], "a.tiff", { type: "image/tiff" }));
      const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: data });
      document.querySelector("textarea")?.dispatchEvent(event);
    });
    await page.getByText("Only PNG, JPEG, GIF and WebP images can be sent.").waitFor();
    await page.evaluate(() => {
      const { capabilities } = panelSamples.conversation([], 0);
      if (capabilities !== undefined) panelHost.status({ capabilities: { ...capabilities, images: false } });
    });
    await give("paste", "image/png", 50);
    await page.getByText("Claude Code doesn’t accept images.").waitFor();
    expect(await page.locator(".chip.removable").count()).toBe(0);
  });
});
