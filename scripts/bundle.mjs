/**
 * Bundles PTH for plain Node: what an installed plugin runs, and what the npm package holds, with no packages beside it.
 *
 *   node scripts/bundle.mjs [--packages node_modules] [--out dist/bundle]
 *
 * The folder holds `main.js` (the MCP server), `cli.js`, their chunks, and all that the code looks for among PTH's own files
 * (`src/platform/own_files.ts`). It may be moved. Plain JavaScript, so that it runs before anything is installed.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { joinChunks } from "./join_chunks.mjs";

/** Packages with native parts: bundling needs none of them, and they are installed when needed (`src/platform/rare_package.ts`). */
export const rare = ["koffi", "@resvg/resvg-js", "node-sqlite3-wasm"];

/** ssh2 does without these where they are not built. */
const native = ["cpu-features", "*.node"];

/** Files that the code reads under the same path. */
export const data = [
  "images",
  "packer",
  "src/assets",
  "skills/pth-tdd",
  "src/server/tool_list.json",
  "src/visualizer/chart/layouts.json",
];

/** Where the bundle starts: the MCP server and the command line. */
const programs = { main: "src/main.ts", cli: "src/cli.ts" };

/** CommonJS packages look for these; ES modules do not have them. */
const banner = [
  `import { createRequire as pthCreateRequire } from "node:module";`,
  `import { fileURLToPath as pthPathOf } from "node:url";`,
  `const require = pthCreateRequire(import.meta.url);`,
  `const __filename = pthPathOf(import.meta.url), __dirname = pthPathOf(new URL(".", import.meta.url));`,
].join("");

/**
 * @param {object} where
 * @param {string} where.root PTH's sources
 * @param {string} where.packages the `node_modules` folder with PTH's production dependencies
 * @param {string} where.out replaced, where it holds a bundle
 * @param {Record<string, string>} [where.modules] further entries, for programs that import them
 */
export async function bundle({ root, packages, out, modules = {} }) {
  [root, packages, out] = [root, packages, out].map((path) => resolve(path));
  await requireReplaceable(out);
  const esbuild = await loadEsbuild(packages);
  const build = (options) =>
    esbuild.build({
      tsconfigRaw: "{}",
      absWorkingDir: root,
      ...options,
      plugins: [...options.plugins ?? [], fromPackages(packages)],
    });
  try {
    await rm(out, { recursive: true, force: true });
    await mkdir(join(out, "prebuilt"), { recursive: true });
    await bundleEntries(build, { root, out, entries: { ...programs, ...modules } });
    await addPrebuilt(build, { root, packages, out });
    for (const path of [...data, ...await docPages(root)]) {
      await cp(join(root, path), join(out, path), { recursive: true });
    }
    // In a folder: npm leaves a package's own lock file out of its tarball.
    await cp(join(root, "package-lock.json"), join(out, "prebuilt/package-lock.json"));
    await writeManifest(root, out);
  } finally {
    await esbuild.stop();
  }
}

/** The documents that `pth://docs/…` is answered from are among these. */
const docPages = async (root) =>
  (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);

async function bundleEntries(build, { root, out, entries }) {
  const entryPoints = Object.fromEntries(
    Object.entries(entries).map(([name, path]) => [name, join(root, path)]),
  );
  const options = {
    entryPoints,
    outdir: out,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    ...forNode,
    external: [...rare, ...native, "esbuild"],
  };
  const { metafile } = await build({ ...options, metafile: true, write: false });
  await build({ ...options, ...joinChunks(root, entries, metafile) });
}

/** Names stay as they are: stack traces in a user's log are to be read. */
const forNode = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.3",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "error",
  banner: { js: banner },
};

/** Bundles what makes the ready parts, lets it make them, and copies what it names. */
async function addPrebuilt(build, { root, packages, out }) {
  const maker = join(out, "prebuilt/maker.mjs");
  await build({
    ...forNode,
    entryPoints: [join(root, "scripts/prebuild.ts")],
    outfile: maker,
    external: [...rare, ...native, "esbuild"],
    // It looks for PTH's own files as the sources do.
    define: { "import.meta.url": JSON.stringify(pathToFileURL(join(root, "scripts/prebuild.ts")).href) },
  });
  const { prebuild, packageFiles, documents } = await import(pathToFileURL(maker).href);
  await rm(maker);
  for (const [name, text] of Object.entries(await prebuild(build))) {
    await writeFile(join(out, "prebuilt", name), text);
  }
  for (const file of documents) await cp(join(root, file), join(out, file));
  for (const file of packageFiles) await cp(join(packages, file), join(out, "packages", file));
}

/** The package of the bundle: which version this is, and which packages of which versions it needs from elsewhere. */
async function writeManifest(root, out) {
  const { name, version, license, dependencies } = JSON.parse(
    await readFile(join(root, "package.json"), "utf8"),
  );
  const manifest = { name, version, license, private: true, type: "module", dependencies };
  await writeFile(join(out, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Packages come from one folder, wherever it lies; another `node_modules` above the sources is not looked at. */
const fromPackages = (packages) => ({
  name: "from-packages",
  setup({ onResolve, resolve: resolvePath }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer, pluginData }) => {
      if (pluginData === packages || kind === "entry-point" || importer.startsWith(packages)) return;
      return resolvePath(path, { kind, importer, resolveDir: dirname(packages), pluginData: packages });
    });
  },
});

async function loadEsbuild(packages) {
  try {
    return (await import(pathToFileURL(createRequire(join(packages, "_")).resolve("esbuild")).href)).default;
  } catch (cause) {
    throw new Error(`Cannot bundle PTH: ${packages} has no esbuild that runs here (${cause.message})`, {
      cause,
    });
  }
}

/** @throws {Error} for a folder that holds something else */
async function requireReplaceable(out) {
  const found = await readdir(out).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (found.length > 0 && !found.includes("prebuilt")) {
    throw new Error(`Cannot bundle PTH: ${out} holds something else; choose another folder`);
  }
}

async function main() {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const { values } = parseArgs({
    options: {
      packages: { type: "string", default: join(root, "node_modules") },
      out: { type: "string", default: join(root, "dist/bundle") },
    },
  });
  await bundle({ root, ...values });
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
}
