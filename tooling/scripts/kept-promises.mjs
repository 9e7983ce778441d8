/**
 * A lint rule of our own: a promise that is kept for later callers keeps its failure as well, so that one moment without
 * descriptors ends a feature for the life of the editor. What is loaded once is a LoadOnce
 * (packages/core/src/support/load-once.ts); work under way that is forgotten when it ends says so beside it.
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

export default { meta: { name: "patchbay" }, rules: { "no-kept-promise": noKeptPromise } };
