/**
 * Makes one file of the runner's sources (`src/ci_runner/`): PTH's own engine, not a copy of it.
 *
 * Only the MCP SDK and `yaml` stay imports; all else is put in, so that the file needs no PTH.
 */
import { type EsbuildBuild, useEsbuild } from "../../platform/use_esbuild.ts";
import { ownModule, prebuilt } from "../../platform/own_files.ts";
import { selfVersion } from "../../platform/self_version.ts";

/** What the runner imports; both are PTH's own dependencies. */
export const runnerDependencies = ["@modelcontextprotocol/client", "yaml"] as const;

let made: Promise<string> | undefined;

/** The code without its settings; made once in a process's life, or when PTH itself was bundled. */
export const runnerCode = (): Promise<string> =>
  made ??= prebuilt("ci_runner.mjs").then((text) => text ?? useEsbuild(bundleRunner));

export async function bundleRunner(build: EsbuildBuild): Promise<string> {
  const result = await build({
    entryPoints: [ownModule("src/ci_runner/main")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    minify: true,
    legalComments: "none",
    logLevel: "silent",
    external: [...runnerDependencies],
    // A copy of Node's streams for old releases.
    alias: { "readable-stream": "node:stream" },
    plugins: [fixedVersion(await selfVersion()), englishOnly],
  });
  return result.outputFiles[0]!.text;
}

/** Bundled CommonJS packages ask for Node's modules with `require`. */
export const requireShim =
  `import { createRequire as pthCreateRequire } from "node:module";\nconst require = pthCreateRequire(import.meta.url);`;

interface Setup {
  onLoad(
    options: { filter: RegExp },
    load: () => { contents: string; loader: "js" },
  ): void;
}

/** PTH reads its version from its package, which the runner does not have. */
const fixedVersion = (text: string) => ({
  name: "fixed-version",
  setup(build: Setup) {
    build.onLoad({ filter: /[\\/]src[\\/]platform[\\/]self_version\.[jt]s$/ }, () => ({
      contents: `export const selfVersion = () => Promise.resolve(${JSON.stringify(text)});`,
      loader: "js",
    }));
  },
});

/** The translations of zod's messages are half of its size, and never shown. */
const englishOnly = {
  name: "english-only",
  setup(build: Setup) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: `export { default as en } from "./en.js";`,
      loader: "js",
    }));
  },
};
