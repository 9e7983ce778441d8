/** Version of this edition; the bundler puts it in. */
export const version: string = process.env.PATCHBAY_VERSION ?? "0.0.0";
