import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { GatheredPictures } from "../../../src/browser/context/gathered-pictures.ts";
import type { WindowContext } from "../../../src/common/protocol.ts";

/** A window with one file and a cursor, and what it sent. */
class Scene {
  cursor = 0;
  taken = 0;
  readonly sent: WindowContext[] = [];
  readonly pictures: GatheredPictures = new GatheredPictures({
    take: () => {
      this.taken += 1;
      const position = { line: this.cursor, character: 0 };
      return { files: [], active: { path: "/a.txt", cursor: position }, windowFocused: true };
    },
    send: (context) => this.sent.push(context),
  });

  get lines(): readonly (number | undefined)[] {
    return this.sent.map(({ active }) => active?.cursor.line);
  }

  move(line: number): void {
    this.cursor = line;
    this.pictures.note();
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function begin(wanted: boolean): Scene {
  const scene = new Scene();
  scene.pictures.start();
  scene.pictures.wanted = wanted;
  vi.runAllTimers();
  return scene;
}

it("sends one picture of many changes", () => {
  const scene = begin(true);
  for (let line = 1; line <= 100; line++) scene.move(line);
  vi.runAllTimers();
  expect(scene.lines).toEqual([0, 100]);
});

it("sends nothing that says nothing new", () => {
  const scene = begin(true);
  scene.move(0);
  vi.runAllTimers();
  expect(scene.lines).toEqual([0]);
});

it("reads and sends nothing while nobody waits for it, and tells the present state as soon as somebody does", () => {
  const scene = begin(false);
  const before = scene.taken;
  for (let line = 1; line <= 100; line++) scene.move(line);
  vi.runAllTimers();
  expect(scene.taken).toBe(before);
  expect(scene.lines).toEqual([0]);
  scene.pictures.noteFocus("/b.txt");
  scene.pictures.noteFocus("/a.txt");
  scene.pictures.noteFocus("/b.txt");
  scene.pictures.wanted = true;
  vi.runAllTimers();
  expect(scene.lines).toEqual([0, 100]);
  // Files in the order in which they had the focus: an agent is told the newest ones first.
  expect(scene.sent.at(-1)?.focused).toEqual(["/a.txt", "/b.txt"]);
});

it("tells each focus once, also where the picture stays the same", () => {
  const scene = begin(true);
  scene.pictures.noteFocus("/a.txt");
  vi.runAllTimers();
  scene.move(1);
  vi.runAllTimers();
  expect(scene.sent.map(({ focused }) => focused)).toEqual([[], ["/a.txt"], []]);
});

it("tells in any case that the user came to the window", () => {
  const scene = begin(false);
  scene.move(3);
  scene.pictures.noteUse();
  vi.runAllTimers();
  expect(scene.lines).toEqual([0, 3]);
});

it("sends the same picture again to a backend that may not have it", () => {
  const scene = begin(false);
  scene.pictures.refresh();
  vi.runAllTimers();
  expect(scene.lines).toEqual([0, 0]);
});

it("is up to date when asked to be, at once", () => {
  const scene = begin(false);
  scene.pictures.flush();
  expect(scene.lines).toEqual([0]);
  scene.move(5);
  scene.pictures.flush();
  expect(scene.lines).toEqual([0, 5]);
  scene.pictures.wanted = true;
  scene.move(6);
  scene.pictures.flush();
  const { taken } = scene;
  vi.runAllTimers();
  expect(scene.lines).toEqual([0, 5, 6]);
  expect(scene.taken).toBe(taken);
});

it("sends no half picture before the window is complete", () => {
  const scene = new Scene();
  scene.pictures.wanted = true;
  scene.move(1);
  scene.pictures.refresh();
  scene.pictures.flush();
  vi.runAllTimers();
  expect(scene.taken).toBe(0);
  scene.pictures.start();
  vi.runAllTimers();
  expect(scene.lines).toEqual([1]);
});
