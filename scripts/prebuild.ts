/**
 * Prepares what a bundle holds so that an installed plugin needs no bundler: the visualizer's page and the exported CI
 * runner. Compiled and called by `bundle.mjs`.
 */
import { bundleRunner } from "../src/export/ci/bundle_runner.ts";
import type { EsbuildBuild } from "../src/platform/use_esbuild.ts";
import { docPages } from "../src/server/resources/doc_pages.ts";
import { grammarFiles } from "../src/testing/source_analysis/syntax.ts";
import { bundlePage } from "../src/visualizer/server/page_bundle.ts";

/** Documents that MCP clients are offered, by their path in the repository. */
export const documents = docPages.map((page) => `docs/${page}.md`);
/** Files of packages that are read at run time, as `name/path`. */
export const packageFiles: string[] = [...grammarFiles, "acorn/dist/acorn.js"];

/** Texts by the name that `prebuilt` of `src/platform/own_files.ts` is asked for. */
export async function prebuild(build: EsbuildBuild): Promise<Record<string, string>> {
  const { script, style } = await bundlePage(build);
  return { "page.js": script, "page.css": style, "ci_runner.mjs": await bundleRunner(build) };
}
