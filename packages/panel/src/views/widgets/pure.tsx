import { Component, type ComponentType, type FunctionComponent, type JSX } from "preact";

/** What is drawn again only when one of its properties is another one. */
export function pure<Props extends object>(Inner: FunctionComponent<Props>): ComponentType<Props> {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const keys = Object.keys(next);
      return (
        keys.length !== Object.keys(this.props).length ||
        keys.some((key) => !Object.is(Reflect.get(next, key), Reflect.get(this.props, key)))
      );
    }

    override render(): JSX.Element {
      return <Inner {...this.props} />;
    }
  };
}
