import { type ComponentChildren, Component } from "preact";

interface BoundaryProps {
  readonly children: ComponentChildren;
  /** Shown instead of what failed. */
  readonly instead: ComponentChildren;
  readonly onFailure?: (error: unknown) => void;
}

/** What fails within it is not shown; everything else is. */
export class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state: { readonly hasFailed: boolean } = { hasFailed: false };

  override componentDidCatch(error: unknown): void {
    this.setState({ hasFailed: true });
    this.props.onFailure?.(error);
  }

  override render(): ComponentChildren {
    return this.state.hasFailed ? this.props.instead : this.props.children;
  }
}
