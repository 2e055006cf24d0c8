/**
 * Makes one file of the runner's sources (`src/ci_runner/`): PTH's own engine, not a copy of it.
 *
 * Only the MCP SDK and `yaml` stay imports; all else is put in, so that the file needs no PTH.
 */
import { dirname, join, resolve } from "node:path";
import { type EsbuildBuild, useEsbuild } from "../../platform/use_esbuild.ts";
import { assetText, assetTexts } from "../../platform/asset_text.ts";
import { ownModule, prebuilt } from "../../platform/own_files.ts";
import { selfVersion } from "../../platform/self_version.ts";

/** Packages that the runner imports; both are PTH's own dependencies. */
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
    plugins: [await ownFiles(build), ownTasks, englishOnly],
  });
  return result.outputFiles[0]!.text;
}

/** Bundled CommonJS packages ask for Node's modules with `require`. */
export const requireShim =
  `import { createRequire as pthCreateRequire } from "node:module";\nconst require = pthCreateRequire(import.meta.url);`;

interface Setup {
  onResolve(
    options: { filter: RegExp },
    resolve: (
      asked: { path: string; importer: string },
    ) => { path: string; sideEffects: false } | undefined,
  ): void;
  onLoad(
    options: { filter: RegExp },
    load: () => { contents: string; loader: "js" },
  ): void;
}

/** Replaces the modules that read PTH's own files, which the runner does not have, by what they would read. */
async function ownFiles(build: EsbuildBuild) {
  const version = JSON.stringify(await selfVersion());
  const assets = { ...assetTexts("environment"), ...await samplerTexts(build) };
  const modules: Readonly<Record<string, string>> = {
    self_version: `export const selfVersion = () => Promise.resolve(${version});`,
    asset_text: `const texts = ${JSON.stringify(assets)};
      export const assetText = (name) => {
        if (name in texts) return texts[name];
        throw new Error("The exported runner does not hold " + name);
      };`,
  };
  return {
    name: "own-files",
    setup(build: Setup) {
      for (const [module, contents] of Object.entries(modules)) {
        const filter = new RegExp(`[\\\\/]src[\\\\/]platform[\\\\/]${module}\\.[jt]s$`);
        build.onLoad({ filter }, () => ({ contents, loader: "js" }));
      }
    },
  };
}

/** Texts of the sampler that inspects a server which gives no answer: its two parts, which are one module, in the first. */
async function samplerTexts(build: EsbuildBuild): Promise<Record<string, string>> {
  const parts = ["stuck/proc.mjs", "stuck/sampler.mjs"] as const;
  const contents = parts.map(assetText).join("\n");
  const { outputFiles } = await build({
    stdin: { contents, loader: "js" },
    write: false,
    format: "esm",
    target: "node20",
    minify: true,
    logLevel: "silent",
  });
  const [first, second] = parts;
  return { "stuck/start.sh": assetText("stuck/start.sh"), [first]: outputFiles[0]!.text, [second]: "" };
}

/**
 * Leaves out the machines of what the runner does not do. They are pure (a check sees to it), so that one which is not used
 * goes; a session's tasks are those of the runner alone.
 */
const ownTasks = {
  name: "own-tasks",
  setup(build: Setup) {
    build.onResolve({ filter: /^\.{1,2}\/.*\.[jt]s$/ }, ({ path, importer }) => {
      const wanted = resolve(dirname(importer), path);
      if (!/[\\/]machines[\\/]/.test(wanted)) return undefined;
      const [, root, extension] = /^(.*)[\\/]machines[\\/]session[\\/]task_machines(\.[jt]s)$/.exec(wanted) ??
        [];
      return root === undefined
        ? { path: wanted, sideEffects: false }
        : { path: join(root, `src/ci_runner/runner_tasks${extension}`), sideEffects: false };
    });
  },
};

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
