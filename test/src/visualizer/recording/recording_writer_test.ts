import { Buffer } from "node:buffer";
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { openRecordingWriter } from "../../../../src/visualizer/recording/recording_writer.ts";

const folder = await mkdtemp(join(tmpdir(), "pth-thinning-"));
t.teardown(() => rm(folder, { recursive: true }));

type Parsed = { at: number; actor: string; context?: object; thinned?: true; [fact: string]: unknown };

const snapshot = (at: number, actor: string, last = false) => ({
  text:
    `{"at":${at},"type":"snapshot","actor":"${actor}","value":"ö","status":"${last ? "done" : "active"}",` +
    `"context":{"text":"${"é".repeat(200)}","context":{"at":${at}}}}\n`,
  actor,
  context: true,
  last,
});
const heard = (at: number, actor: string) => ({
  text:
    `{"at":${at},"type":"event","actor":"${actor}","event":{"type":"go","context":{"type":"snapshot"}}}\n`,
  actor,
});

/** Writes as many rounds of an event and a snapshot, by 20 actors in turn; some breath in between, as a session has. */
async function write(name: string, rounds: number, contexts: number) {
  const path = join(folder, name);
  const writing = await openRecordingWriter(path, { contexts });
  writing.write({ text: "{}\n" });
  writing.write(snapshot(0, "quiet"));
  // As a reader's would be: while it is open, no other file gets its number.
  const opened = await open(path);
  for (let at = 1; at <= rounds; at++) {
    writing.write(heard(at, `x:${at % 20}`));
    writing.write(snapshot(at, `x:${at % 20}`));
    if (at % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  writing.write(snapshot(rounds + 1, "x:1", true));
  await writing.close();
  const lines = (await readFile(path, "utf8")).trim().split("\n").map((line) => JSON.parse(line) as Parsed);
  const replaced = (await stat(path)).ino !== (await opened.stat()).ino;
  await opened.close();
  return { lines, replaced };
}

const held = (lines: Parsed[]) => lines.filter(({ context }) => context !== undefined);

t.test("old contexts are dropped once they take too much; no line is, and nothing else in one", async (t) => {
  const limit = 200_000;
  const { lines, replaced } = await write("thinned", 5000, limit);
  t.ok(replaced, "who reads the file sees it replaced, never half of it");
  t.equal(lines.length, 2 + 2 * 5000 + 1);
  t.same(lines.slice(2, -1).map(({ at }) => at), Array.from({ length: 10_000 }, (_, at) => 1 + (at >> 1)));
  const thinned = lines.filter(({ thinned }) => thinned);
  // How many depends on how the disk keeps up with who writes as quickly as it can.
  t.ok(thinned.length > 500, `${thinned.length} of 5000`);
  t.same(Object.keys(thinned[0]!), ["at", "type", "actor", "value", "status", "thinned"]);
  t.equal(thinned[0]!["value"], "ö");
  t.same(lines[2]!["event"], { type: "go", context: { type: "snapshot" } }, "an event is left as it is");
  t.same(
    (await readdir(folder)).filter((name) => name.includes("thinning")),
    [],
    "nothing is left beside it",
  );
});

t.test("the newest context of whoever lives stays, however old it is; the latest are thinned least", async (t) => {
  const { lines } = await write("newest", 5000, 200_000);
  t.ok(lines[1]!.context, "of an actor that nothing happened to since the beginning");
  for (let actor = 2; actor < 20; actor++) {
    const last = lines.filter((line) => line.actor === `x:${actor}` && line["type"] === "snapshot").at(-1)!;
    t.ok(last.context, `x:${actor}`);
  }
  const middle = Math.floor(lines.length / 2);
  t.ok(held(lines.slice(0, middle)).length < held(lines.slice(middle)).length);
});

t.test("about half of the contexts stay when they first take too much", async (t) => {
  const path = join(folder, "half");
  const writing = await openRecordingWriter(path, {
    contexts: 200 * Buffer.byteLength(snapshot(100, "x:0").text),
  });
  const opened = await open(path);
  writing.write({ text: "{}\n" });
  for (let at = 1; at <= 205; at++) writing.write(snapshot(at, "x:0"));
  while ((await stat(path)).ino === (await opened.stat()).ino) await new Promise((r) => setTimeout(r, 5));
  await opened.close();
  await writing.close();
  const lines = (await readFile(path, "utf8")).trim().split("\n");
  const kept = held(lines.map((line) => JSON.parse(line) as Parsed)).length;
  t.ok(kept > 80 && kept < 125, `${kept} of 205`);
});

t.test("a link in the place of the new file is not followed", async (t) => {
  const other = join(folder, "other");
  await writeFile(other, "mine");
  const link = join(folder, "linked.thinning");
  await symlink(other, link);
  t.teardown(() => rm(link));
  const { lines, replaced } = await write("linked", 300, 20_000);
  t.notOk(replaced);
  t.equal(held(lines).length, 302);
  t.equal(await readFile(other, "utf8"), "mine");
});

t.test("what is small is left alone", async (t) => {
  const { lines, replaced } = await write("small", 300, 1_000_000);
  t.notOk(replaced);
  t.equal(held(lines).length, 302);
});

t.test("a recording that ends while it is thinned is whole", async (t) => {
  const path = join(folder, "ended");
  const writing = await openRecordingWriter(path, { contexts: 100_000 });
  writing.write({ text: "{}\n" });
  for (let at = 1; at <= 2000; at++) writing.write(snapshot(at, "x:0"));
  await writing.close();
  const lines = (await readFile(path, "utf8")).trim().split("\n");
  t.same(
    lines.slice(1).map((line) => (JSON.parse(line) as Parsed).at),
    Array.from({ length: 2000 }, (_, at) => at + 1),
  );
  t.same((await readdir(folder)).filter((name) => name.includes("thinning")), []);
});

t.test("what a recording left beside that was killed while it was thinned goes with the next one", async (t) => {
  const path = join(folder, "again");
  await writeFile(`${path}.thinning`, "{}");
  await (await openRecordingWriter(path)).close();
  t.same((await readdir(folder)).filter((name) => name.startsWith("again")), ["again"]);
});

t.test("where it cannot be thinned, recording goes on", async (t) => {
  const path = join(folder, "stuck");
  await mkdir(`${path}.thinning`);
  const writing = await openRecordingWriter(path, { contexts: 10_000 });
  writing.write({ text: "{}\n" });
  for (let at = 1; at <= 500; at++) {
    writing.write(snapshot(at, "x:0"));
    if (at % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await writing.close();
  t.equal(
    held((await readFile(path, "utf8")).trim().split("\n").map((line) => JSON.parse(line) as Parsed)).length,
    500,
  );
});
