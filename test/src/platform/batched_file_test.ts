import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { mkdtemp, open, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import type { PthError } from "../../../src/core/errors.ts";
import { openBatchedFile } from "../../../src/platform/batched_file.ts";

const folder = await mkdtemp(join(tmpdir(), "pth-batches-"));
t.teardown(() => rm(folder, { recursive: true }));

const unforeseen = (error: PthError) => t.fail(error.message);
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

t.test("lines are in the file soon after they were written, in order; at once where they are many", async (t) => {
  const path = join(folder, "made/here/lines");
  const file = await openBatchedFile(path, unforeseen);
  file.write("one\n");
  t.equal(readFileSync(path, "utf8"), "", "a line waits for others");
  await pause(150);
  t.equal(readFileSync(path, "utf8"), "one\n");
  file.write(`${"x".repeat(70_000)}\n`);
  t.equal(readFileSync(path, "utf8").length, 4 + 70_001);
  file.write("ü\n");
  file.close();
  t.equal((await readFile(path, "utf8")).slice(-3), "\nü\n");
  t.equal((await stat(path)).size, file.size);
  file.write("late\n");
  t.equal((await stat(path)).size, file.size, "what comes after the end is not written");
});

t.test("lines reach the file also while work goes on without a pause", async (t) => {
  const path = join(folder, "busy");
  const file = await openBatchedFile(path, unforeseen);
  file.write("one\n");
  for (const begun = performance.now(); performance.now() - begun < 60;);
  file.write("two\n");
  t.equal(readFileSync(path, "utf8"), "one\ntwo\n");
  file.close();
});

t.test("the permissions asked for are those of a new file", async (t) => {
  const file = await openBatchedFile(join(folder, "private"), unforeseen, { mode: 0o600 });
  file.close();
  t.equal((await stat(join(folder, "private"))).mode & 0o777, 0o600);
});

t.test("a folder in the file's place is wrong input", async (t) => {
  mkdirSync(join(folder, "folder"));
  await t.rejects(openBatchedFile(join(folder, "folder"), unforeseen), { code: "INVALID_INPUT" });
});

t.test("a disk that is full is told once, and nothing is written from then on", {
  skip: existsSync("/dev/full") ? false : "this machine has no /dev/full",
}, async (t) => {
  const failures: PthError[] = [];
  const file = await openBatchedFile("/dev/full", (error) => failures.push(error));
  t.equal(file.regular, false);
  file.write("one\n");
  file.flush();
  file.write("two\n");
  file.flush();
  file.close();
  t.match(failures, [{ code: "DISK_FULL", message: /^Cannot continue writing \/dev\/full: / }]);
  t.equal(failures.length, 1);
});

t.test("a link stays one, and its file is replaced", async (t) => {
  const path = join(folder, "target");
  await symlink(path, join(folder, "link"));
  const file = await openBatchedFile(join(folder, "link"), unforeseen);
  file.write("old\n");
  file.flush();
  const beside = await open(join(folder, "beside"), "w");
  await beside.writeFile("new\n");
  await beside.close();
  file.replaceBy(join(folder, "beside"));
  file.write("more\n");
  file.close();
  t.equal(await readFile(join(folder, "link"), "utf8"), "new\nmore\n");
  t.equal(await readFile(path, "utf8"), "new\nmore\n");
});

t.test("of a process that is killed all but the last moments are in the file, as whole lines", async (t) => {
  const path = join(folder, "killed");
  const program = new URL("batched_file_writer.ts", import.meta.url).pathname;
  const compiled = program.replace(/\.ts$/, existsSync(program) ? ".ts" : ".js");
  const writer = spawn(process.execPath, [..."Deno" in globalThis ? ["run", "-A"] : [], compiled, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  writer.stdout.on("data", (data) => said += data);
  /** Whole lines of what it said: how many there were, and when by its own clock. */
  const told = () =>
    said.slice(0, said.lastIndexOf("\n")).split("\n").map((line) => line.split(" ").map(Number));
  const spanMs = () => told().at(-1)![1]! - told()[0]![1]!;
  while (said.length < 100 || spanMs() < 300) await once(writer.stdout, "data");
  writer.kill("SIGKILL");
  await once(writer, "close");
  const end = told().at(-1)![1]!;
  const [known] = told().findLast(([, at]) => at! < end - 100)!;
  const lines = (await readFile(path, "utf8")).split("\n");
  const whole = lines.slice(0, -1).map((line) => (JSON.parse(line) as { at: number }).at);
  t.ok(whole.length >= known!, `${whole.length} lines are there; ${known} were written 100 ms before`);
  t.same(whole, Array.from({ length: whole.length }, (_, at) => at));
});
