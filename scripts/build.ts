/**
 * Builds `dist/` for plain Node: `npm run build`, and `npm pack` by itself.
 *
 * `dist/` mirrors the repository (dist/src, dist/machines, dist/images …), so that what the source finds relative to its
 * own files is found there too.
 */
import { dirname, join } from "node:path";
import { chmod, copyFile, mkdir, pathExists, readDir, removeIfExists, stat } from "../src/platform/files.ts";
import { docPages } from "../src/server/resources/doc_pages.ts";
import { compile } from "./compile.ts";
import { writeDeclarations } from "./declarations.ts";
import { pageStyles } from "./page_styles.ts";

const root = join(import.meta.dirname!, "..");
const dist = join(root, "dist");

/** Data beside the code. */
const data = [
  "package.json",
  "images",
  "packer",
  "src/assets",
  "src/server/tool_list.json",
  "docs/report.schema.json",
  "docs/test.schema.json",
  ...docPages.map((page) => `docs/${page}.md`),
  "src/visualizer/chart/layouts.json",
  ...await pageStyles(root),
];

await removeIfExists(dist);
await compile(root, "tsconfig.build.json");
await writeDeclarations(root, ["src/mod.ts", "src/testing/report/report_schema.ts"], dist);
for (const path of data) {
  if (await pathExists(join(root, path))) await copy(join(root, path), join(dist, path));
}
await chmod(join(dist, "src/cli.js"), 0o755);

/** Copies a file or a whole folder; modes are kept. */
async function copy(from: string, to: string): Promise<void> {
  if (!(await isFolder(from))) {
    await mkdir(dirname(to), { recursive: true });
    return await copyFile(from, to);
  }
  await mkdir(to, { recursive: true });
  for await (const { name } of readDir(from)) await copy(join(from, name), join(to, name));
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path)).isDirectory;
}
