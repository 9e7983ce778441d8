/**
 * Theia's saving, to which proposals are no unsaved files: "Save All" before the application is left would accept them, and
 * the page would ask whether to leave although all of it is kept.
 */
export function savingWithoutProposals<T extends object, W>(service: T, isProposal: (widget: W) => boolean): T {
  const guarded = new Set<string | symbol>(["canSave", "canSaveNotSaveAs"]);
  return new Proxy(service, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (!guarded.has(name)) return member.bind(target);
      return (widget: W) => !isProposal(widget) && member.call(target, widget);
    },
  });
}
