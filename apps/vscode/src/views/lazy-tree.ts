import { type Disposable, type Event, EventEmitter, type TreeDataProvider, type TreeItem } from "vscode";

/** The content of a view of the side bar. */
export interface Tree<T> {
  getChildren(node?: T): T[];
  getTreeItem(node: T): TreeItem;
}

/** A view's content, whose code is loaded when the view is looked at for the first time. */
export class LazyTree<T> implements TreeDataProvider<T>, Disposable {
  readonly #load: () => Promise<Tree<T>>;
  readonly #changes: EventEmitter<void> = new EventEmitter();
  readonly onDidChangeTreeData: Event<void> = this.#changes.event;
  #tree: Promise<Tree<T>> | undefined;

  constructor(load: () => Promise<Tree<T>>) {
    this.#load = load;
  }

  refresh(): void {
    this.#changes.fire();
  }

  async getChildren(node?: T): Promise<T[]> {
    return (await this.#loaded()).getChildren(node);
  }

  async getTreeItem(node: T): Promise<TreeItem> {
    return (await this.#loaded()).getTreeItem(node);
  }

  dispose(): void {
    this.#changes.dispose();
  }

  #loaded(): Promise<Tree<T>> {
    this.#tree ??= this.#load();
    return this.#tree;
  }
}
