const [command, agent] = process.argv.slice(2);

/** What manages hooks is a command like any other; the hook itself is a small file, since agents wait for it before each of their tools. */
const isHook =
  command === "hook" &&
  agent !== undefined &&
  /^[a-z]+$/u.test(agent) &&
  !/^(?:install|remove|status|help)$/u.test(agent);

if (isHook) {
  const loaded: { readonly default: { runAsProgram(): void } } = await import(
    new URL("patchbay-hook.cjs", import.meta.url).href
  );
  loaded.default.runAsProgram();
} else await import("./main.ts");
