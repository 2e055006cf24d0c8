/** Real git repositories and plugin folders in temporary folders, removed after the test. */
import { mkdir, writeFile } from "node:fs/promises";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { execFileSync } from "node:child_process";
import type { SessionSource, SessionTarget } from "../../../machines/model/session.ts";
import { type PrepareOptions, prepareSource } from "../../../src/session/prepare_source.ts";
import { openRegister, type SessionRegister } from "../../../src/registry/register.ts";

interface Test {
  teardown(clean: () => unknown): void;
}

/** Of the process itself: a test may begin before the folder of the one before it is removed. */
const { TMPDIR } = process.env;
const temporary = tmpdir();

/** A temporary folder, and PTH's own folders redirected into another one. */
export async function temporaryWorld(t: Test): Promise<{ folder: string; worktrees: string; home: string }> {
  const top = await mkdtemp(join(temporary, "pth source test "));
  const { PTH_HOME, PTH_WORKTREE_DIR } = process.env;
  const before = { PTH_HOME, PTH_WORKTREE_DIR, TMPDIR };
  process.env.PTH_HOME = join(top, "home");
  process.env.PTH_WORKTREE_DIR = join(top, "worktrees");
  process.env.TMPDIR = top;
  t.teardown(async () => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await rm(top, { recursive: true, force: true });
  });
  const folder = join(top, "my plugin");
  await mkdir(folder, { recursive: true });
  return { folder, worktrees: join(top, "worktrees"), home: join(top, "home") };
}

export async function writeFiles(
  folder: string,
  files: Record<string, string | Uint8Array>,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** Git as a user runs it. */
export function userGit(folder: string, ...args: string[]): string {
  const identity = [
    "-c",
    "user.name=Test",
    "-c",
    "user.email=test@example.com",
    "-c",
    "protocol.file.allow=always",
  ];
  return execFileSync("git", ["-C", folder, ...identity, ...args], { encoding: "utf8", stdio: "pipe" });
}

/** A repository with one commit that holds the files. */
export async function makeRepository(
  folder: string,
  files: Record<string, string | Uint8Array>,
): Promise<string> {
  await writeFiles(folder, files);
  userGit(folder, "init", "--quiet", "--initial-branch=main");
  userGit(folder, "add", "--all");
  userGit(folder, "commit", "--quiet", "--message=First");
  return userGit(folder, "rev-parse", "HEAD").trim();
}

let count = 0;

export async function prepare(
  target: string | SessionTarget,
  options: Partial<PrepareOptions> = {},
): Promise<SessionSource & { register: SessionRegister }> {
  const sessionId = options.sessionId ?? `t${process.pid}x${++count}`;
  const register = options.register ?? await openRegister(sessionId);
  const asked = typeof target === "string" ? { target } : target;
  const source = await prepareSource(asked, { mode: "run", ...options, sessionId, register });
  return { ...source, register };
}

/** Text of a file, or undefined where there is none. */
export const textOf = (...path: string[]): Promise<string | undefined> =>
  readFile(join(...path), "utf8").catch(() => undefined);

/** Code of the error that a promise rejects with, and the error itself. */
export async function rejection(
  promise: Promise<unknown>,
): Promise<{ code?: string; message: string; context: Record<string, unknown> }> {
  try {
    await promise;
  } catch (error) {
    return error as never;
  }
  throw new Error("resolved instead of rejecting");
}
