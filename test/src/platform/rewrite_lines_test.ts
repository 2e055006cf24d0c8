import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import type { BatchedFile } from "../../../src/platform/batched_file.ts";
import { rewriteLines } from "../../../src/platform/rewrite_lines.ts";

t.test("a file whose last lines cannot be written any more stays as it is", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "pth-rewritten-"));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, "lines");
  await writeFile(path, "one\ntwo\n");
  let failed = false;
  // As when the copy takes the last room on the disk.
  const file: BatchedFile = {
    path,
    regular: true,
    size: 8,
    write: () => {},
    flush: () => failed = true,
    replaceBy: () => t.fail("it is closed by now"),
    close: () => {},
  };
  t.equal(await rewriteLines(file, { lines: 2, change: () => "other", stopped: () => failed }), false);
  t.equal(await readFile(path, "utf8"), "one\ntwo\n");
  t.strictSame(await readdir(folder), ["lines"]);
});
