/**
 * The public surface: what `tools/list` says of each tool, compared with test/tool_snapshots.
 * A change that is meant: `PTH_UPDATE_SNAPSHOTS=1` writes them anew, and the review sees it.
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { describeTool } from "../../../src/server/tool_list.ts";
import { registry } from "../../../src/tools/_registry.ts";
import {
  exists,
  readDir,
  readTextIfExists,
  removeIfExists,
  writeTextFile,
} from "../../../src/platform/files.ts";
import { env } from "../../../src/platform/host.ts";

/** The sources and their Node build lie at different depths. */
async function snapshotFolder(): Promise<string> {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!await exists(join(folder, "test/tool_snapshots"))) {
    if (folder === dirname(folder)) throw new Error("there is no test/tool_snapshots above this file");
    folder = dirname(folder);
  }
  return join(folder, "test/tool_snapshots");
}

const folder = await snapshotFolder();
const update = env("PTH_UPDATE_SNAPSHOTS") === "1";

for (const tool of registry) {
  t.test(tool.name, async (t) => {
    const described = `${JSON.stringify(describeTool(tool), undefined, 2)}\n`;
    const path = join(folder, `${tool.name}.json`);
    if (update) await writeTextFile(path, described);
    t.equal(described, await readTextIfExists(path));
  });
}

t.test("there is no snapshot without its tool", async (t) => {
  const names = new Set(registry.map(({ name }) => `${name}.json`));
  for await (const entry of readDir(folder)) {
    if (update && !names.has(entry.name)) await removeIfExists(join(folder, entry.name));
    else t.ok(names.has(entry.name), entry.name);
  }
});

t.test("every tool says what it is, and hints of what it does", (t) => {
  for (const { name, definition } of registry) {
    t.match(name, /^pth_[a-z_]+$/);
    t.ok(definition.title.length <= 60, `${name}: title`);
    t.ok(definition.description.length >= 60 && definition.description.length <= 500, `${name}: description`);
    t.equal(typeof definition.annotations.readOnlyHint, "boolean", `${name}: readOnlyHint`);
  }
  t.end();
});
