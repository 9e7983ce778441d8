// @vitest-environment jsdom
import "../../support/browser.ts";
import { RpcProxyFactory } from "@theia/core/lib/common/messaging/proxy-factory";
import type { IShellTerminalServer } from "@theia/terminal/lib/common/shell-terminal-protocol";
import { expect, it } from "vitest";
import { extendTerminalServer } from "../../../src/browser/window/window-attachment.ts";

it("leaves Theia's proxy what it is, but for the making of terminals", async () => {
  // Theia's own proxy makes up every member on the spot; without a connection its calls wait for one.
  const proxy = new RpcProxyFactory<IShellTerminalServer>().createProxy();
  const asked: unknown[] = [];
  const extended = extendTerminalServer(proxy, async (options) => {
    asked.push(options);
    return options;
  });
  // A container that finds a "then" takes a service for a promise of one.
  expect(Reflect.get(extended, "then")).toBeUndefined();
  expect(Reflect.get(extended, "toJSON")).toBeUndefined();
  expect(extended.onDidOpenConnection).toBe(proxy.onDidOpenConnection);
  void extended.create({ shell: "/bin/bash" });
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(asked).toEqual([{ shell: "/bin/bash" }]);
});
