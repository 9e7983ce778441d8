const key = "patchbay.window";

/**
 * Names this window so that it is the same one after a reload. The name is kept with the page's session, which a duplicated
 * page inherits: only a page that says it was reloaded takes it up again. It never leaves Theia.
 */
export function identifyWindow(): string {
  const [navigation] = performance.getEntriesByType("navigation");
  const reloaded = navigation instanceof PerformanceNavigationTiming && navigation.type === "reload";
  const kept = reloaded ? window.sessionStorage.getItem(key) : null;
  const id = kept ?? Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(36)).join("");
  window.sessionStorage.setItem(key, id);
  return id;
}
