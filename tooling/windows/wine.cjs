const childProcess = require("node:child_process");
const fs = require("node:fs");
const { isBuiltin, registerHooks, syncBuiltinESMExports } = require("node:module");
const { Socket } = require("node:net");
const { pathToFileURL } = require("node:url");

/** What Wine 8 needs, and Windows does not, in this process and in those that it starts. */

// Wine refuses TCP_KEEPIDLE on a socket that is not connected yet, and Node's fetch asks for it then ("connect UNKNOWN"). Windows takes it.
Socket.prototype.setKeepAlive = function setKeepAlive() {
  return this;
};

// Wine does not show that a link is one: what pnpm links is found where it really is, so that nothing is loaded twice.
const root = new URL("../../", pathToFileURL(__filename)).href;
const everything = new URL("node_modules/.pnpm/node_modules/any.js", root).href;
registerHooks({
  resolve(specifier, context, next) {
    const isPackage = !isBuiltin(specifier) && !/^(?:[./#]|[a-z]+:)/iu.test(specifier);
    if (!isPackage || !context.parentURL?.startsWith(root)) return next(specifier, context);
    let found;
    try {
      found = next(specifier, { ...context, parentURL: everything });
    } catch {
      found = next(specifier, context);
    }
    const [, name, path] = /\/node_modules\/@patchbay\/([^/]+)\/(.*)$/u.exec(found.url) ?? [];
    return name === undefined ? found : { ...found, url: `${root}packages/${name}/${path}` };
  },
});

// Wine says that it has made a link, and there is none. What asks for one fails here as it does for users without the right to make links,
// in words that limits.mjs knows.
const refuse = () =>
  Object.assign(new Error("EPERM: Wine makes no symbolic links"), { code: "EPERM", syscall: "symlink" });
fs.symlinkSync = () => {
  throw refuse();
};
fs.symlink = (...args) => args.at(-1)(refuse());
fs.promises.symlink = async () => {
  throw refuse();
};

// A removed file keeps its name in Wine until the last who has it open closes it, so that its folder cannot be removed (newer Windows lets go
// of the name at once: libuv asks for POSIX semantics). What tests leave goes with the lab.
const { rmSync } = fs;
fs.rmSync = (path, options) => {
  try {
    rmSync(path, options);
  } catch (error) {
    if (options?.recursive !== true || error.code !== "ENOTEMPTY") throw error;
  }
};

// Tests start programs with an environment of their own.
const needed = { NODE_OPTIONS: `-r ${__filename.replaceAll("\\", "/")}` };
const { spawn } = childProcess.ChildProcess.prototype;
childProcess.ChildProcess.prototype.spawn = function spawnInWine(options) {
  const envPairs = options.envPairs?.concat(Object.entries(needed).map(([name, value]) => `${name}=${value}`));
  return Reflect.apply(spawn, this, [envPairs === undefined ? options : { ...options, envPairs }]);
};
for (const name of ["spawnSync", "execFileSync", "execSync"]) {
  const inner = childProcess[name];
  childProcess[name] = (...args) => {
    const options = args.at(-1);
    if (options?.env !== undefined) args[args.length - 1] = { ...options, env: { ...options.env, ...needed } };
    return inner(...args);
  };
}
syncBuiltinESMExports();
