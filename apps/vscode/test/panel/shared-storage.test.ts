import { expect, it } from "vitest";
import { sharedStorage } from "../../src/panel/panel-settings.ts";

it.each([
  ["-2828d386", "-2828d386"],
  ["-2828d386-1", "-2828d386"],
  ["d41d8cd98f00b204e9800998ecf8427e-9", "d41d8cd98f00b204e9800998ecf8427e"],
  // Not a name that VS Code makes of a workspace.
  ["ext-dev-1", "ext-dev-1"],
  ["-5", "-5"],
])("all windows on a workspace have its conversations: of %s in %s", (window, shared) => {
  expect(sharedStorage(`/storage/${window}/patchbay.patchbay`)).toBe(`/storage/${shared}/patchbay.patchbay`);
});
