/** Makes the folder in which unit tests run on plain Node. */
import { dirname, join } from "node:path";
import { mkdir, pathExists, removeIfExists, symlink } from "../../src/platform/files.ts";
import { compile } from "../compile.ts";
import { pageStyles } from "../page_styles.ts";

/** Data that code and tests find relative to their own files. */
const data = [
  "package.json",
  "images",
  "packer",
  "src/assets",
  "skills/pth-tdd",
  "docs",
  "src/server/tool_list.json",
  "src/visualizer/chart/layouts.json",
  "test/fixtures",
  "test/examples",
];

/** Compiles the source and the unit tests to `compiled`, with links to the data beside them. */
export async function compileTests(root: string, compiled: string): Promise<void> {
  await removeIfExists(compiled);
  await compile(root, "tsconfig.test.json", compiled);
  for (const path of [...data, ...await pageStyles(root)]) {
    if (!(await pathExists(join(root, path)))) continue;
    await mkdir(dirname(join(compiled, path)), { recursive: true });
    await symlink(join(root, path), join(compiled, path));
  }
}
