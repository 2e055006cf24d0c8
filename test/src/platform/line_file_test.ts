// test: own-process (the log is set up once in a process, and here it is set up otherwise)
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t from "tap";

const folder = await mkdtemp(join(tmpdir(), "pth-lines-"));
t.teardown(() => rm(folder, { recursive: true }));
const logFile = join(folder, "log");
process.env.PTH_LOG_FILE = logFile;
const { appendLines } = await import("../../../src/platform/line_file.ts");

t.test("lines are in the file once it is closed", async (t) => {
  const path = join(folder, "lines");
  const file = await appendLines(path);
  for (let line = 0; line < 1000; line++) file.write(`line ${line}`);
  await file.close();
  t.equal((await readFile(path, "utf8")).split("\n").length, 1001);
});

t.test("a file that cannot be opened is wrong input", async (t) => {
  await t.rejects(appendLines(join(folder, "absent/lines")), { code: "INVALID_INPUT" });
});

t.test("a disk that is full is told once and stops nothing", {
  skip: existsSync("/dev/full") ? false : "this machine has no /dev/full",
}, async (t) => {
  const file = await appendLines("/dev/full");
  file.write("one");
  await new Promise((resolve) => setTimeout(resolve, 50));
  file.write("two");
  await file.close();
  const lines = (await readFile(logFile, "utf8")).trim().split("\n");
  t.equal(lines.length, 1);
  t.match(JSON.parse(lines[0]!), {
    level: "error",
    message: /^Cannot continue writing \/dev\/full: .*(ENOSPC|no space left)/i,
  });
});
