/** Whole sessions on a checkout, which is photographed before, while and after it. */
import { join } from "node:path";
import process from "node:process";
import type { Test } from "tap";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { diffSession } from "../../../src/fixes/diff_session.ts";
import { readHistory } from "../../../src/git/history.ts";
import { makeRepository as ownRepository } from "../../../src/git/make_repository.ts";
import { revertFix } from "../../../src/fixes/revert_fix.ts";
import { branchOf } from "../../../src/git/session_branch.ts";
import { removeSource } from "../../../src/session/remove_source.ts";
import { prepare, textOf, userGit } from "../../src/session/helpers.ts";
import { changesSince, photograph } from "../../support/checkout_photo.ts";

/** A small plugin. */
export const files = {
  "package.json": '{"name":"demo","version":"1.0.0"}\n',
  "src/a.txt": "one\ntwo\nthree\n",
  "src/b.txt": "b\n",
  "docs/readme.md": "read me\n",
};

/** A fix that fits it. */
export const edit = {
  tests: ["a test"],
  title: "mend it",
  edits: [{ path: "src/a.txt", find: "one", replace: "1" }],
};

/** What a session on the folder said and left. */
export interface Outcome {
  notes: string;
  /** Undefined for a copy without a branch of the author's repository. */
  branch: string | undefined;
  text: string | undefined;
}

/** A whole session: fix, revert, revert of the revert, end. The checkout is looked at while it runs and after it. */
export async function wholeSession(t: Test, folder: string, checkout = folder): Promise<Outcome> {
  const before = await photograph(checkout);
  const { register, ...prepared } = await prepare(folder, { mode: "session" });
  t.strictSame(await changesSince(before, checkout, { alive: true }), [], "while it runs");
  const source = prepared.branch === undefined ? await ownRepository(prepared, register) : prepared;
  const branch = branchOf(source)!;
  const fix = await applyFix(branch, edit);
  const revert = await revertFix(branch, fix.commit);
  t.match(await textOf(source.worktree, source.subfolder, "src/a.txt"), /^one/);
  await revertFix(branch, revert.commit);
  t.equal((await readHistory(branch)).length, 3);
  t.match(await diffSession(branch), { files: [{ path: "src/a.txt", added: 1, removed: 1 }] });
  const end = await removeSource(source, { register });
  t.match(end, { branchKept: true, commits: 3, leftBehind: [] });
  t.strictSame(await changesSince(before, checkout), [], "after it");
  const path = join(source.subfolder, "src/a.txt");
  const text = userGit(source.repository!, "-c", "safe.directory=*", "show", `${branch.branch}:${path}`);
  return { notes: source.notes.join("\n"), branch: prepared.branch, text };
}

/** The same with variables set or, where undefined, missing. */
export async function withVariables<T>(
  variables: Record<string, string | undefined>,
  work: () => Promise<T>,
) {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  const set = (all: typeof variables) => {
    for (const [name, value] of Object.entries(all)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  set(variables);
  try {
    return await work();
  } finally {
    set(before);
  }
}
