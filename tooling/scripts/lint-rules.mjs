import { dirname, relative, resolve, sep } from "node:path";
import { houses } from "./house.mjs";

/**
 * Lint rules of our own.
 *
 * `no-kept-promise`: a promise that is kept for later callers keeps its failure as well, so that one moment without
 * descriptors ends a feature for the life of the editor. What is loaded once is a LoadOnce
 * (packages/core/src/support/load-once.ts); work under way that is forgotten when it ends says so beside it.
 *
 * `let-go-of-signals`: a signal may live as long as its editor, and what waits for it a second: whoever listens by hand forgets to
 * stop, and after eleven rounds Node.js warns in the user's terminal. `onAbort` (packages/core/src/support/disposable.ts) gives back
 * what ends the listening.
 *
 * `arrows`: what a room of the sources may import (house.mjs).
 */

const message =
  "A kept promise keeps its failure: use LoadOnce, or say in a disabling comment why a failure cannot stay.";

const chained = new Set(["then", "catch", "finally"]);
const collections = new Set(["Map", "WeakMap", "Record"]);

/** Every node of a type, whatever it is made of. */
function* nodesOf(node) {
  if (Array.isArray(node)) for (const one of node) yield* nodesOf(one);
  else if (typeof node?.type === "string") {
    yield node;
    for (const [key, value] of Object.entries(node)) if (key !== "parent") yield* nodesOf(value);
  }
}

const nameOf = (node) => (node?.type === "TSTypeReference" ? node.typeName?.name : undefined);
const isPromise = (node) => nameOf(node) === "Promise";

/** `Promise<X> | undefined`: there or not, and kept once it is there. Or a collection of promises by key. */
function keepsPromise(type) {
  if (type?.type === "TSUnionType") return type.types.some(isPromise);
  if (!collections.has(nameOf(type))) return false;
  const value = type.typeArguments?.params.at(-1);
  return Array.from(nodesOf(value)).some(isPromise);
}

/** A field or property that is there or not, and a promise once it is there. */
const isOptionalPromise = (node) => node.optional === true && isPromise(node.typeAnnotation?.typeAnnotation);

/** What begins with the file or the object, and is kept as long as that: the next use would not try again. */
const isBegunAtOnce = (node) =>
  givesPromise(node) && !(node.callee?.object?.name === "Promise" && node.callee.property.name === "resolve");

/** Whether an expression is a promise by its looks: the types of calls are not known here. */
function givesPromise(node) {
  if (node.type === "ImportExpression") return true;
  if (node.type !== "CallExpression") return false;
  const { callee } = node;
  if (callee.type === "ArrowFunctionExpression" || callee.type === "FunctionExpression") return callee.async;
  if (callee.type !== "MemberExpression") return false;
  return callee.object.name === "Promise" || chained.has(callee.property.name);
}

const noKeptPromise = {
  create: (context) => {
    const check = (node, annotation) => {
      if (keepsPromise(annotation?.typeAnnotation)) context.report({ node, message });
    };
    return {
      PropertyDefinition: (node) => {
        if (isOptionalPromise(node) || (node.value && isBegunAtOnce(node.value))) context.report({ node, message });
        else check(node, node.typeAnnotation);
      },
      VariableDeclarator: (node) => {
        const isOfTheFile = ["Program", "ExportNamedDeclaration"].includes(node.parent.parent.type);
        if (isOfTheFile && node.init && isBegunAtOnce(node.init)) context.report({ node, message });
        else check(node, node.id.typeAnnotation);
      },
      TSPropertySignature: (node) => {
        if (node.readonly === true) return;
        if (isOptionalPromise(node)) context.report({ node, message });
        else check(node, node.typeAnnotation);
      },
      AssignmentExpression: (node) => {
        if (["??=", "||="].includes(node.operator) && givesPromise(node.right)) context.report({ node, message });
      },
    };
  },
};

const eachFolder = "/*/";

/** Whether the name of a room fits a path without its ending. */
function fits(name, path) {
  if (name.endsWith(eachFolder)) return path.startsWith(name.slice(0, -2)) && path.slice(name.length - 2).includes("/");
  if (name.endsWith("*")) return path.startsWith(name.slice(0, -1));
  return path === name || path.startsWith(`${name}/`);
}

/** The name of a room in the picture, and the room itself: of `agents/*` + `/` there is one for each folder. */
function roomOf(rooms, path) {
  const names = Object.keys(rooms).filter((name) => fits(name, path));
  const name = names.reduce((best, one) => (one.length > (best?.length ?? 0) ? one : best), undefined);
  if (!name?.endsWith(eachFolder)) return { name, room: name };
  const start = name.slice(0, -2);
  return { name, room: path.slice(0, path.indexOf("/", start.length)) };
}

/** A target belongs to a listed room, or is a listed file. */
const isListed = (list, rooms, target) =>
  (list ?? []).some((name) => name === target || name === roomOf(rooms, target).name);

function isListedPackage(list, specifier) {
  return (list ?? []).some((name) =>
    name.endsWith("*")
      ? specifier.startsWith(name.slice(0, -1))
      : specifier === name || specifier.startsWith(`${name}/`),
  );
}

/** All that an import takes are types. */
const takesTypes = (node) =>
  node.importKind === "type" ||
  node.exportKind === "type" ||
  ((node.specifiers?.length ?? 0) > 0 &&
    node.specifiers.every(({ importKind, exportKind }) => importKind === "type" || exportKind === "type"));

const withoutEnding = (path) => path.replace(/\.[cm]?[jt]sx?$/u, "");

const arrows = {
  create: (context) => {
    const file = withoutEnding(relative(context.cwd, context.filename).split(sep).join("/"));
    const source = Object.keys(houses).find((folder) => file.startsWith(`${folder}/`));
    if (source === undefined) return {};
    const rooms = houses[source];
    const { name, room } = roomOf(rooms, file.slice(source.length + 1));
    const check = (node, specifier) => {
      if (typeof specifier !== "string") return;
      const own = rooms[name];
      if (own === undefined) {
        context.report({ node, message: `No room of ${source} in tooling/scripts/house.mjs holds this file.` });
        return;
      }
      if (!specifier.startsWith(".")) {
        if (isListedPackage(own.packages, specifier)) return;
        if (takesTypes(node) && isListedPackage(own.packageTypes, specifier)) return;
        context.report({ node, message: `${room} may not import ${specifier} (tooling/scripts/house.mjs).` });
        return;
      }
      const path = relative(context.cwd, resolve(dirname(context.filename), specifier))
        .split(sep)
        .join("/");
      if (path === `${dirname(source)}/package.json`) return;
      const target = withoutEnding(path).slice(source.length + 1);
      const isInside = path.startsWith(`${source}/`);
      if (isInside && roomOf(rooms, target).room === room) return;
      if (isInside && isListed(own.rooms, rooms, target)) return;
      if (isInside && takesTypes(node) && isListed(own.types, rooms, target)) return;
      context.report({
        node,
        message: `${room} may not import ${isInside ? target : path} (tooling/scripts/house.mjs).`,
      });
    };
    const ofDeclaration = (node) => check(node, node.source?.value);
    return {
      ImportDeclaration: ofDeclaration,
      ExportNamedDeclaration: ofDeclaration,
      ExportAllDeclaration: ofDeclaration,
      ImportExpression: (node) => check(node, node.source.value),
      TSImportType: (node) => {
        const { value } = node.source;
        // What a package's module looks like is no arrow: whoever is given one need not import it.
        if (value.startsWith(".")) check({ ...node, importKind: "type" }, value);
      },
    };
  },
};

const letGoOfSignals = {
  create(context) {
    const message = "Listen with onAbort, and dispose of what it returns when nobody waits any more.";
    return {
      CallExpression(node) {
        const { callee, arguments: given } = node;
        const name = callee.type === "MemberExpression" ? (callee.property.name ?? callee.property.value) : undefined;
        if (name === "addEventListener" && given[0]?.value === "abort") context.report({ node, message });
      },
      AssignmentExpression(node) {
        if (node.left.type === "MemberExpression" && node.left.property.name === "onabort")
          context.report({ node, message });
      },
      ExpressionStatement(node) {
        const { expression } = node;
        const isDropped = expression.type === "CallExpression" && expression.callee.name === "onAbort";
        if (isDropped) context.report({ node, message });
      },
    };
  },
};

const rules = { "no-kept-promise": noKeptPromise, "let-go-of-signals": letGoOfSignals, arrows };

export default { meta: { name: "patchbay" }, rules };
