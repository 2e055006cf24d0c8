/** Sessions whose process is gone, on real repositories. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionSource } from "../../../../machines/model/session.ts";
import { checkpoint } from "../../../../src/actors/branch/checkpoint.ts";
import { makeResources } from "../../../../src/actors/session_resources.ts";
import { applyFix } from "../../../../src/fixes/apply_fix.ts";
import { branchOf } from "../../../../src/git/session_branch.ts";
import { openRegister, type SessionRegister } from "../../../../src/registry/register.ts";
import { findSession } from "../../../../src/session/resume/find_session.ts";
import { resumeSource } from "../../../../src/session/resume/resume_source.ts";
import { files, request } from "../../fixes/helpers.ts";
import { makeRepository, prepare } from "../helpers.ts";
import type { SessionProgress } from "../../../../machines/model/session_state.ts";

export const progress: SessionProgress = { iteration: 2, trend: "improving", causes: [], records: [] };

export type Dead = SessionSource & { branch: string; register: SessionRegister };

/** A session with one fix and, unless told otherwise, a checkpoint; its process "dies" by `kill`. */
export async function beginSession(
  folder: string,
  { within = "", saved = true }: { within?: string; saved?: boolean } = {},
): Promise<Dead> {
  const placed = Object.entries(files).map(([path, text]) => [join(within, path), text]);
  await makeRepository(folder, Object.fromEntries(placed));
  const source = await prepare(join(folder, within), { mode: "session" });
  await fix(source, "one", "1");
  if (saved) await save(source);
  return source as Dead;
}

export const fix = (source: SessionSource, find: string, replace: string) =>
  applyFix(branchOf(source)!, request([{ path: "src/a.ts", find, replace }], { iteration: 3 }));

export async function save(source: SessionSource & { register: SessionRegister }): Promise<void> {
  const live = makeResources({
    sessionId: source.sessionId,
    target: { target: source.source },
    register: source.register,
    publish: () => {},
  });
  live.code.source = source;
  await checkpoint(live, { progress, tests: { "a-1": { status: "failed" } } });
}

/** Makes a register look like that of a process that is gone. */
export async function kill({ register, folder }: Dead): Promise<void> {
  const gone = (text: string) =>
    text.replace(/"pid":( ?)\d+,(\s*)"startTime":( ?)"\d+"/, '"pid":$14194305,$2"startTime":$3"1"');
  await writeFile(register.path, gone(await readFile(register.path, "utf8")));
  if (folder === undefined) return;
  const lock = join(folder, ".pth/active-session.lock");
  await writeFile(lock, gone(await readFile(lock, "utf8")));
}

let count = 0;

/** Goes on with a branch as `Harness.resumeSession` does. */
export async function resume(branch: string, pluginPath?: string, force = false) {
  const found = await findSession({ branch, ...(pluginPath === undefined ? {} : { pluginPath }) });
  const sessionId = `again${++count}`;
  const register = await openRegister(sessionId);
  const source = await resumeSource(found, { sessionId, register, force });
  return { found, source: { ...source, register } as Dead };
}
