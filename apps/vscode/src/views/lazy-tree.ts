import { type Disposable, type Event, EventEmitter, type TreeDataProvider, type TreeItem } from "vscode";
import { LoadOnce } from "@patchbay/core";

/** The content of a view of the side bar. */
export interface Tree<T> {
  getChildren(node?: T): T[];
  getTreeItem(node: T): TreeItem;
}

/** A view's content, whose code is loaded when the view is looked at for the first time. */
export class LazyTree<T> implements TreeDataProvider<T>, Disposable {
  readonly #changes: EventEmitter<void> = new EventEmitter();
  readonly onDidChangeTreeData: Event<void> = this.#changes.event;
  readonly #tree: LoadOnce<Tree<T>>;

  constructor(load: () => Promise<Tree<T>>) {
    this.#tree = new LoadOnce(load);
  }

  refresh(): void {
    this.#changes.fire();
  }

  async getChildren(node?: T): Promise<T[]> {
    return (await this.#tree.get()).getChildren(node);
  }

  async getTreeItem(node: T): Promise<TreeItem> {
    return (await this.#tree.get()).getTreeItem(node);
  }

  dispose(): void {
    this.#changes.dispose();
  }
}
