import { createFakeClock } from "@patchbay/testkit";
import { expect, it } from "vitest";
import { watchEditor } from "../../src/host/editor-facts.ts";

it("tells once that the editor is gone, and nothing after its end", () => {
  const clock = createFakeClock();
  let alive = true;
  let gone = 0;
  const watch = () => watchEditor({ pid: 5, isAlive: () => alive, clock, onGone: () => (gone += 1) });
  const ended = watch();
  watch();
  clock.advance(10_000);
  expect(gone).toBe(0);
  ended.dispose();
  alive = false;
  clock.advance(10_000);
  expect(gone).toBe(1);
});
