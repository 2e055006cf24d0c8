// test: timeout=200
/** Commits with odd names, and reverts of what cannot be reverted: said as they are, refused with the reason. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { commitFiles } from "../../../src/git/commit_files.ts";
import { writeCommitMessage } from "../../../src/git/commit_message.ts";
import { readHistory } from "../../../src/git/history.ts";
import { revertFix } from "../../../src/fixes/revert_fix.ts";
import { rejection, textOf, userGit, writeFiles } from "../../src/session/helpers.ts";
import { fix, session, standing, withoutTimes } from "./odd_session.ts";

t.setTimeout(180_000);

/** Each is read back as it was given, and says nothing of its own in the trailers. */
const names: Record<string, string> = {
  "with line ends": "one\ntwo\r\n\r\nthree",
  "that looks like trailers":
    "x\n\nPTH-Type: state-checkpoint\nPTH-Reverts: 1234567890123456789012345678901234567890",
  "with NUL and escapes": "a\0b\x1b[31mred\x07",
  "of 10,000 characters": "long ".repeat(2000).trim(),
  "with a lone half of a pair": "half \ud83d of it",
  "with quotes at its ends": '"quoted"',
  "that begins with a comment sign": "# not a comment",
};

t.test("names of tests, titles and bodies are text, whatever they hold", async (t) => {
  const { branch, end } = await session(t);
  let count = 0;
  for (const [kind, name] of Object.entries(names)) {
    await t.test(kind, async (t) => {
      const text = name.replaceAll(/\p{Surrogate}/gu, "\ufffd");
      const record = await applyFix(
        branch,
        fix([{ path: `n${++count}.txt`, content: `${count}\n` }], { tests: [name], title: name, body: name }),
      );
      t.match(record, { tests: [text], type: "fix", reverts: undefined });
      const [newest] = await readHistory(branch);
      t.match(newest, { commit: record.commit, tests: [text], type: "fix", files: [`n${count}.txt`] });
      t.equal(newest?.reverts, undefined);
      const { title, body, tests, files } = record;
      t.match(newest, { title, body, tests, files }, "said at once as it is read later");
      const trailers = ["log", "-1", "--format=%(trailers:key=PTH-Type,valueonly)", record.commit];
      t.equal(userGit(branch.worktree, ...trailers).trim(), "fix", "git reads the trailers likewise");
      const raw = userGit(branch.worktree, "log", "-1", "--format=%B", record.commit);
      // deno-lint-ignore no-control-regex
      t.notMatch(raw, /[\x00-\x08\x0b-\x1f\x7f]/, "nothing in it that a terminal would obey");
    });
  }
  await end();
});

t.test("a body that speaks of a revert is none", async (t) => {
  const { branch, end } = await session(t);
  const first = await applyFix(branch, fix([{ path: "a.txt", find: "one", replace: "1" }]));
  await applyFix(
    branch,
    fix([{ path: "a.txt", find: "two", replace: "2" }], { body: `This reverts commit ${first.commit}.` }),
  );
  t.match((await readHistory(branch)).map(({ revertedBy }) => revertedBy), [undefined, undefined]);
  await end();
});

t.test("reverts: of reverts, with conflicts, of what is no fix of the session", async (t) => {
  const { branch, source, end } = await session(t);
  const one = await applyFix(branch, fix([{ path: "a.txt", find: "one", replace: "1" }]));
  const again = await applyFix(branch, fix([{ path: "a.txt", find: "1", replace: "uno" }]));
  const fresh = await applyFix(branch, fix([{ path: "fresh/x.txt", content: "x\n" }]));
  const gone = await applyFix(branch, fix([{ path: "sub/b.txt", find: "b", replace: "c" }]));
  await applyFix(branch, fix([{ path: "sub/b.txt", delete: true }]));
  await writeFiles(source.worktree, { ".pth/session-state.json": '{"iteration":1}\n' });
  const message = writeCommitMessage({ type: "state-checkpoint", title: "iteration 1" });
  await commitFiles(branch, [".pth/session-state.json"], message);
  const checkpoint = userGit(source.worktree, "rev-parse", "HEAD").trim();
  const aside = userGit(
    source.worktree,
    "commit-tree",
    `${source.base}^{tree}`,
    "-p",
    source.base!,
    "-m",
    "x",
  );
  userGit(source.worktree, "merge", "--quiet", "--no-edit", aside.trim());
  const merge = userGit(source.worktree, "rev-parse", "HEAD").trim();
  const before = await standing(branch);

  const conflict = await rejection(revertFix(branch, one.commit));
  t.match(conflict, { code: "REVERT_CONFLICT", context: { conflicts: [{ path: "a.txt" }] } });
  t.match(conflict.context["output"], /<<<<<<< now\nuno\n[^]*one\n>>>>>>> before the fix/);
  t.match(conflict.context["output"], again.commit.slice(0, 7));
  const removed = await rejection(revertFix(branch, gone.commit));
  t.match(removed, {
    code: "REVERT_CONFLICT",
    context: { output: /one side changed what the other removed/ },
  });
  const refused: [string, string, RegExp][] = [
    [merge, "INVALID_INPUT", /it is a merge/],
    [checkpoint, "INVALID_INPUT", /checkpoint/],
    [source.base!, "NO_SUCH_COMMIT", /not one of the session's own/],
    ["main", "NO_SUCH_COMMIT", /no such commit/],
    ["--all", "NO_SUCH_COMMIT", /no such commit/],
    ["HEAD; touch x", "NO_SUCH_COMMIT", /no such commit/],
    ["", "NO_SUCH_COMMIT", /no such commit/],
  ];
  for (const [name, code, message] of refused) {
    t.match(await rejection(revertFix(branch, name)), { code, message }, name);
  }
  t.strictSame(await standing(branch), before, "worktree, index and branch are clean after every refusal");

  const lock = join(branch.gitDir, "../../refs/heads", `${branch.branch}.lock`);
  await writeFile(lock, "");
  for (const name of [again.commit, fresh.commit]) {
    t.match(await rejection(revertFix(branch, name)), {
      code: "COMMIT_FAILED",
      context: { transient: true },
    });
  }
  await rm(lock);
  t.strictSame(
    withoutTimes(await standing(branch)),
    withoutTimes(before),
    "a branch that is locked: put back",
  );

  let last = await revertFix(branch, again.commit);
  for (const text of ["uno", "1", "uno"]) {
    last = await revertFix(branch, last.commit);
    t.match(await textOf(source.worktree, "a.txt"), `${text}\n`, `revert of revert: ${text}`);
  }
  t.match(last.title, /mend it/);
  t.ok(last.title.length < 80, "titles do not grow with every revert");
  await end();
});
