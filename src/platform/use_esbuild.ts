/** The bundler, loaded where something is to be bundled, and ended after it: it is a process of its own. */

/** esbuild's own function, or one that bundles as it does. */
export type EsbuildBuild = typeof import("esbuild").build;

export async function useEsbuild<Result>(use: (build: EsbuildBuild) => Promise<Result>): Promise<Result> {
  const { default: esbuild } = await import("esbuild");
  try {
    return await use(esbuild.build);
  } finally {
    await esbuild.stop();
  }
}
