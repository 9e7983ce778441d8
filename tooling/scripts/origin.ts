/** Who publishes the packages. The one place where the name stands: every manifest and link that is published is made from it. */
const organisation = "patchbay";

const address = `https://github.com/${organisation}/patchbay`;

/** Where a package comes from, as its manifest says it to a registry. */
export interface Origin {
  readonly repository: { readonly type: "git"; readonly url: string; readonly directory: string };
  readonly homepage: string;
  readonly bugs: { readonly url: string };
}

/** @param directory of the package in the repository, e.g. `packages/core` */
export function originOf(directory: string): Origin {
  return {
    repository: { type: "git", url: `git+${address}.git`, directory },
    homepage: `${address}/tree/main/${directory}#readme`,
    bugs: { url: `${address}/issues` },
  };
}

/** Where a file of the repository is to be had as it is, for pictures in galleries. @param path in the repository, e.g. `docs/images/a.png` */
export function rawAddressOf(path: string): string {
  return `${address}/raw/main/${path}`;
}
