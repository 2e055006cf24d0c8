/**
 * The `Deno` namespace on both runtimes: native on Deno, `@deno/shim-deno` on Node.
 *
 * The shim covers files, environment, arguments, signals and temporary folders. It has no usable processes or
 * sockets, so those go through `node:` modules, which both runtimes implement (`process.ts`, `sockets.ts`).
 */
type DenoNamespace = typeof globalThis.Deno;

const native = (globalThis as { Deno?: DenoNamespace }).Deno;

/** True when running on Deno itself. */
export const isDeno: boolean = native !== undefined;

export const platform: DenoNamespace = native ??
  ((await import("@deno/shim-deno")).Deno as unknown as DenoNamespace);
