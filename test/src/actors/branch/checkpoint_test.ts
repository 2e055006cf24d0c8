import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { checkpoint } from "../../../../src/actors/branch/checkpoint.ts";
import { makeResources } from "../../../../src/actors/session_resources.ts";
import { applyFix } from "../../../../src/fixes/apply_fix.ts";
import { diffSession } from "../../../../src/fixes/diff_session.ts";
import { readHistory } from "../../../../src/git/history.ts";
import { clean } from "../../../../src/session/clean.ts";
import { removeSource } from "../../../../src/session/remove_source.ts";
import { parseSessionState } from "../../../../src/session/session_state.ts";
import { request, session, userGit } from "../../fixes/helpers.ts";
import type { SessionProgress } from "../../../../machines/model/session_state.ts";
import { stateFile } from "../../../../src/git/session_branch.ts";

const progress: SessionProgress = { iteration: 0, trend: "untested", causes: [], records: [] };
const args = { progress, tests: { "a-1": { status: "failed" } } };

async function begin(t: Test, options: Parameters<typeof session>[1] = {}) {
  const world = await session(t, options);
  const target = { target: world.folder, secrets: { TOKEN: "s3cret-value" } };
  const live = makeResources({
    sessionId: world.source.sessionId,
    target,
    register: world.register,
    publish: () => {},
  });
  live.code.source = world.source;
  return { ...world, live };
}

t.test("a checkpoint is a commit of its own that the history does not show", async (t) => {
  const { live, branch, folder, plugin } = await begin(t, { within: "packages/demo" });
  await writeFile(join(plugin, "src/a.ts"), "half a fix\n");
  const { commit } = await checkpoint(live, args);
  t.equal(userGit(folder, "rev-parse", branch.branch).trim(), commit);
  t.match(
    userGit(folder, "log", "-1", "--format=%B", branch.branch),
    /^chore: save [^]*PTH-Type: state-checkpoint/,
  );
  const shown = userGit(folder, "show", "--format=", "--name-only", branch.branch).trim();
  t.equal(shown, `packages/demo/${stateFile}`, "nothing else that lies changed goes with it");
  t.strictSame(await readHistory(branch), []);
  t.match(await diffSession(branch), { commits: 0, files: [] });
});

t.test("without news there is no second one; a file that a crash left uncommitted is committed", async (t) => {
  const { live, branch, folder, plugin } = await begin(t);
  t.ok((await checkpoint(live, args)).commit);
  t.strictSame(await checkpoint(live, args), {});
  t.ok((await checkpoint(live, { ...args, tests: { "a-1": { status: "passed" } } })).commit);
  const saved = await readFile(join(plugin, stateFile), "utf8");
  userGit(folder, "update-ref", `refs/heads/${branch.branch}`, `${branch.branch}~1`);
  t.ok((await checkpoint(live, { ...args, tests: { "a-1": { status: "passed" } } })).commit);
  t.equal(userGit(folder, "show", `${branch.branch}:${stateFile}`), saved);
});

t.test("a .gitignore does not keep it out, and secrets do not come in", async (t) => {
  const { live, branch, folder } = await begin(t, { more: { ".gitignore": ".pth/\n" } });
  const causes = [{ id: "g", category: "timeout", cause: "bad token s3cret-value", tests: [] }];
  await checkpoint(live, { ...args, progress: { ...progress, iteration: 3, causes } });
  const text = userGit(folder, "show", `${branch.branch}:${stateFile}`);
  t.notMatch(text, "s3cret");
  t.notMatch(text, folder);
  t.match(parseSessionState(text), { state: { iteration: 3, withheld: ["TOKEN"], base: branch.base } });
  t.match(userGit(folder, "log", "-1", "--format=%B", branch.branch), /PTH-Iteration: 3/);
});

t.test("a scratch folder that has no branch yet gets none for it", async (t) => {
  const { live } = await begin(t);
  delete live.code.source!.branch;
  t.strictSame(await checkpoint(live, args), {});
});

t.test("checkpoints alone do not keep a branch once its session ends", async (t) => {
  const { live, source, register, folder } = await begin(t);
  await checkpoint(live, args);
  t.match(await removeSource(source, { register }), { branchKept: false, commits: 0, leftBehind: [] });
  t.equal(userGit(folder, "branch", "--list", "pth/*"), "");
});

t.test("with a fix they keep it, and are not counted", async (t) => {
  const { live, source, register, branch } = await begin(t);
  const body = "PTH-Type: state-checkpoint\n\nis what a checkpoint says.";
  await applyFix(branch, request([{ path: "src/a.ts", find: "one", replace: "1" }], { body }));
  await checkpoint(live, args);
  t.match(await removeSource(source, { register }), { branchKept: true, commits: 1 });
});

t.test("pth clean leaves the branch of a killed session to be resumed, also with a checkpoint alone", async (t) => {
  const { live, register, folder } = await begin(t);
  await checkpoint(live, args);
  const text = await readFile(register.path, "utf8");
  await writeFile(
    register.path,
    text.replace(/"pid":\d+,"startTime":"\d+"/, '"pid":4194305,"startTime":"1"'),
  );
  t.match((await clean({ runtimes: [] })).kept, [{ kind: "branch", reason: /1 commit / }]);
  t.match(userGit(folder, "branch", "--list", "pth/*"), live.code.source!.branch!);
});
