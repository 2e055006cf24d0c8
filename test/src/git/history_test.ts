import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import t from "tap";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { commitFiles } from "../../../src/git/commit_files.ts";
import { writeCommitMessage } from "../../../src/git/commit_message.ts";
import { queryHistory, readHistory } from "../../../src/git/history.ts";
import { findPatterns } from "../../../src/fixes/find_patterns.ts";
import { revertFix } from "../../../src/fixes/revert_fix.ts";
import { request, session, userGit, writeFiles } from "../fixes/helpers.ts";

t.test("commits are read back with what their trailers say, newest first, without checkpoints", async (t) => {
  const { branch, plugin } = await session(t);
  t.strictSame(await readHistory(branch), []);
  const one = await applyFix(
    branch,
    request([{ path: "src/a.ts", find: "one", replace: "1" }], {
      tests: ["first\ntest"],
      title: "count",
      body: "Why.\n\nBecause.",
      category: "wrong-output",
      iteration: 1,
      distro: "fedora",
    }),
  );
  await writeFiles(plugin, { ".pth/session-state.json": "{}" });
  const checkpoint = writeCommitMessage({ type: "state-checkpoint", title: "checkpoint" });
  t.ok(await commitFiles(branch, [".pth/session-state.json"], checkpoint));
  t.equal(await commitFiles(branch, [".pth/session-state.json"], checkpoint), undefined, "nothing new");
  userGit(plugin, "commit", "--quiet", "--allow-empty", "--message=by hand");
  userGit(plugin, "tag", branch.branch, branch.base);
  const [byHand, fix, ...more] = await readHistory(branch);
  t.strictSame(more, []);
  t.match(byHand, { type: "other", title: "by hand", tests: [], files: [] });
  const { changed, ...kept } = one;
  t.strictSame(changed, { added: 1, removed: 1 }, "known of the commit that was just made");
  t.match(fix, { ...kept, at: String });
  t.match(fix?.at, /^\d{4}-\d\d-\d\dT/);
});

t.test("the history answers by test, category, file, folder and iteration", async (t) => {
  const { branch } = await session(t);
  const fix = (find: string, more: object) =>
    applyFix(branch, request([{ path: "src/a.ts", find, replace: find.toUpperCase() }], more));
  const one = await fix("one", { tests: ["a"], category: "timeout", iteration: 1 });
  const two = await fix("two", { tests: ["b"], category: "wrong-output", iteration: 2 });
  const other = await applyFix(
    branch,
    request([{ path: "lib/b.ts", content: "x" }], { tests: ["b"], iteration: 2 }),
  );
  const all = await readHistory(branch);
  const found = (query: object) => queryHistory(all, query).map(({ commit }) => commit);
  t.strictSame(found({ test: "a" }), [one.commit]);
  t.strictSame(found({ category: "wrong-output" }), [two.commit]);
  t.strictSame(found({ file: "./src/a.ts" }), [two.commit, one.commit]);
  t.strictSame(found({ file: "lib/" }), [other.commit]);
  t.strictSame(found({ iteration: 2, file: "src" }), [two.commit]);
  t.strictSame(found({ test: "nobody" }), []);
});

t.test("a commit knows what reverted it, until that was reverted itself", async (t) => {
  const { branch } = await session(t);
  const fix = await applyFix(branch, request([{ path: "src/a.ts", find: "one", replace: "1" }]));
  const first = await revertFix(branch, fix.commit);
  const by = async () => (await readHistory(branch)).find(({ commit }) => commit === fix.commit)?.revertedBy;
  t.equal(await by(), first.commit);
  const second = await revertFix(branch, first.commit);
  t.equal(await by(), undefined);
  const third = await revertFix(branch, second.commit);
  t.equal(await by(), first.commit, `${third.commit} put the first revert in force again`);
});

t.test("tests that go back and forth, and changes made again, are found", async (t) => {
  const { branch } = await session(t);
  const fix = (test: string, find: string, replace: string, path = "src/a.ts") =>
    applyFix(branch, request([{ path, find, replace }], { tests: [test] }));
  const patterns = async () => await findPatterns(branch, await readHistory(branch));
  const one = await fix("A", "one\n", "1\n");
  await fix("C", "two\r\n", "zwei\r\n", "src/windows.txt");
  const retry = await fix("A", "1\n", "eins\n");
  t.strictSame(await patterns(), { oscillating: [], repeated: [] }, "trying again is not oscillating");
  const two = await fix("B", "eins\n", "one\n");
  const three = await fix("A", "one\n", "1\n");
  const { oscillating, repeated } = await patterns();
  t.strictSame(oscillating, [{
    test: "A",
    commits: [one.commit, retry.commit, two.commit, three.commit],
  }]);
  t.strictSame(repeated, [{ commits: [one.commit, three.commit], file: "src/a.ts" }]);
});

t.test("a history of 500 commits is read, with its patterns, hardly slower than by git alone", async (t) => {
  const { branch, folder } = await session(t);
  const commits = Array.from({ length: 500 }, (_, index) => {
    const message = writeCommitMessage({
      type: index % 3 === 0 ? "state-checkpoint" : "fix",
      title: `fix ${index}`,
      tests: [`test ${index % 40}`],
      files: [`src/f${index % 20}.ts`],
      iteration: 1 + Math.floor(index / 10),
    });
    const text = Array.from({ length: 60 }, (_, line) => `line ${line} ${line === index % 60 ? index : ""}`)
      .join("\n");
    const data = (value: string) => `data ${Buffer.byteLength(value)}\n${value}\n`;
    return `commit refs/heads/${branch.branch}\ncommitter T <t@example.com> ${
      1_700_000_000 + index
    } +0000\n` +
      data(message) + (index === 0 ? `from ${branch.base}\n` : "") +
      `M 100644 inline src/f${index % 20}.ts\n${data(text)}\n`;
  });
  execFileSync("git", ["-C", folder, "fast-import", "--quiet", "--force"], { input: commits.join("") });
  const records = await readHistory(branch);
  const patterns = await findPatterns(branch, records);
  t.equal(records.length, 333);
  t.match(records[0], { title: "fix 499", tests: ["test 19"], iteration: 50 });
  t.ok(patterns.oscillating.length > 0);
  const log = ["-C", folder, "log", "--patch", "--format=%B", `refs/heads/${branch.branch}`];
  const plain = await fastest(() => Promise.resolve(execFileSync("git", log)));
  const ours = await fastest(async () => findPatterns(branch, await readHistory(branch)));
  t.ok(ours < 20 * plain, `${Math.round(ours)} ms, git alone ${Math.round(plain)} ms`);
});

/** Of five times, in ms: a busy machine slows some of them down. */
async function fastest(work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < 5; round++) {
    const started = performance.now();
    await work();
    taken.push(performance.now() - started);
  }
  return Math.min(...taken);
}
