/** The bundler, loaded where something is to be bundled, and ended after it: it is a process of its own. */

/** esbuild's own function, or one that bundles as it does. */
export type Build = typeof import("esbuild").build;

export async function withEsbuild<Result>(use: (build: Build) => Promise<Result>): Promise<Result> {
  const { default: esbuild } = await import("esbuild");
  try {
    return await use(esbuild.build);
  } finally {
    await esbuild.stop();
  }
}
