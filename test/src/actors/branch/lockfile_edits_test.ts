import { Buffer } from "node:buffer";
import t, { type Test } from "tap";
import { lockfileEdits } from "../../../../src/actors/branch/lockfile_edits.ts";
import type { FileEdit } from "../../../../src/fixes/edited_files.ts";
import type { FileState } from "../../../../src/git/file_state.ts";
import { branchOf } from "../../../../src/git/session_branch.ts";
import { makeRepository, prepare, temporaryWorld } from "../../session/helpers.ts";
import { giveEnvironment, liveSession } from "../live.ts";

const file = (text: string): FileState => ({ kind: "file", bytes: Buffer.from(text), mode: 0o644 });
const manifest = (dependencies: object, more: object = {}) =>
  JSON.stringify({ name: "p", dependencies, ...more });
const change = (path: string, before: string, after: string): FileEdit => ({
  path,
  before: file(before),
  after: file(after),
});
const older = manifest({ ms: "2.0.0" });
const newer = manifest({ ms: "2.1.3" });
const dependency = change("package.json", older, newer);

/** A session on a repository with these files, in an environment where npm ends with the code. */
async function makeSession(t: Test, files: Record<string, string>, npm?: number) {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "package.json": older, ...files });
  const { live } = liveSession();
  live.code.source = await prepare({ target: folder });
  const asked: { folder: string | undefined; stdin: unknown }[] = [];
  if (npm !== undefined) {
    giveEnvironment(live, {
      abilities: { isolated: true } as never,
      exec: (_handle, command, options) => {
        asked.push({ folder: command[4], stdin: options?.stdin });
        const facts = { signal: null, stderr: "npm error ETARGET", truncated: false, durationMs: 1 };
        return Promise.resolve({ code: npm, stdout: npm === 0 ? "the new lock" : "", ...facts });
      },
    });
  }
  const edits = (...changes: FileEdit[]) => lockfileEdits(live, branchOf(live.code.source!)!, changes);
  return { edits, asked };
}

t.test("a change of dependencies takes the lockfile along, as npm makes it of the new manifest", async (t) => {
  const { edits, asked } = await makeSession(
    t,
    { "package-lock.json": "{}", "sub/package-lock.json": "{}" },
    0,
  );
  const sub = change("sub/package.json", older, newer);
  t.strictSame(await edits(dependency, sub, change("index.mjs", "a", "b")), [
    { path: "package-lock.json", content: "the new lock" },
    { path: "sub/package-lock.json", content: "the new lock" },
  ]);
  t.strictSame(asked, [
    { folder: "/work/plugin", stdin: newer },
    { folder: "/work/plugin/sub", stdin: newer },
  ]);
});

t.test("where there is nothing to bring in line npm is not asked", async (t) => {
  const { edits, asked } = await makeSession(t, { "package-lock.json": "{}" }, 0);
  t.strictSame(await edits(change("package.json", older, manifest({ ms: "2.0.0" }, { scripts: {} }))), []);
  t.strictSame(await edits(change("package.json", older, "{ broken")), []);
  t.strictSame(await edits(dependency, change("package-lock.json", "{}", "{1}")), [], "the fix has its own");
  t.strictSame(await edits({ ...dependency, after: { kind: "absent" } }), []);
  t.strictSame(asked, []);
});

t.test("a lockfile that the branch does not hold stays out of it", async (t) => {
  const { edits, asked } = await makeSession(t, {}, 0);
  t.strictSame([await edits(dependency), asked], [[], []]);
});

t.test("the fix goes without it where npm fails, and where there is no environment", async (t) => {
  const failing = await makeSession(t, { "package-lock.json": "{}" }, 1);
  t.strictSame(await failing.edits(dependency), []);
  t.equal(failing.asked.length, 1);
  const without = await makeSession(t, { "package-lock.json": "{}" });
  t.strictSame(await without.edits(dependency), []);
});
