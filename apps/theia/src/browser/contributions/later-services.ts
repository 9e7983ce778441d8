import type { interfaces } from "@theia/core/shared/inversify";

/** Services of which a window loads the code when it first wants them. */
export class LaterServices {
  protected readonly container: interfaces.Container;

  constructor(container: interfaces.Container) {
    this.container = container;
  }

  /** The one service of a class. `load` is a dynamic import: what it names becomes a chunk of the application. */
  async get<T>(load: () => Promise<interfaces.Newable<T>>): Promise<T> {
    const type = await load();
    if (!this.container.isBound(type)) this.container.bind(type).toSelf().inSingletonScope();
    return this.container.get(type);
  }
}
