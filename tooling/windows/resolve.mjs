import { isBuiltin, registerHooks } from "node:module";

// Wine does not show that a link is one: what pnpm links is found where it really is, so that nothing is loaded twice.
const root = new URL("../../", import.meta.url).href;
const everything = new URL("node_modules/.pnpm/node_modules/any.js", root).href;

registerHooks({
  resolve(specifier, context, next) {
    const isPackage = !isBuiltin(specifier) && !/^(?:[./#]|[a-z]+:)/iu.test(specifier);
    if (!isPackage) return next(specifier, context);
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
