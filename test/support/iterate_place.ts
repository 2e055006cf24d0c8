/** Copies of fixtures as repositories, and `pth iterate` on them with fixers from test/fixers. */
import { join } from "node:path";
import process from "node:process";
import type { Test } from "tap";
import { makeTempDir, readTextFile, removeIfExists, writeTextFile } from "../../src/platform/files.ts";
import { runCommand } from "../../src/platform/process.ts";
import { pth, root, startPth } from "./pth.ts";

/** Node, also where the tests run on Deno: fixers are Node scripts. */
const node = "versions" in process && "deno" in process.versions ? "node" : process.execPath;

/** A fixer from test/fixers, as the shell takes it. */
export const fixer = (script: string, ...args: string[]): string =>
  [node, `"${join(root, "test/fixers", script)}"`, ...args].join(" ");

export interface Place {
  /** The plugin's repository. */
  plugin: string;
  env: Record<string, string>;
  iterate(fixer: string, ...args: string[]): ReturnType<typeof pth>;
  start(fixer: string, ...args: string[]): ReturnType<typeof startPth>;
  git(...args: string[]): Promise<string>;
  /** The one session branch; "" where there is none. */
  branch(): Promise<string>;
  /** Subjects of its commits of one type, the oldest first. */
  commits(type: string): Promise<string[]>;
}

/** @param change writes into the copy before it is committed */
export async function iteratePlace(
  t: Pick<Test, "teardown">,
  fixture: string,
  change: (plugin: string) => Promise<void> = () => Promise.resolve(),
): Promise<Place> {
  const folder = await makeTempDir({ prefix: "pth iterate-" });
  t.teardown(() => removeIfExists(folder));
  const plugin = join(folder, "plugin");
  await runCommand(["cp", "-r", join(root, "test/fixtures", fixture), plugin]);
  await change(plugin);
  const git = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(["git", "-C", plugin, ...args]);
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  await git("init", "-q", "-b", "main");
  await git("add", "-A");
  await git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "as it is");
  const env = { PTH_HOME: join(folder, "home"), PTH_WORKTREE_DIR: join(folder, "worktrees"), NO_COLOR: "1" };
  const command = (fixer: string, args: string[]) => ["iterate", plugin, "--fixer", fixer, ...args];
  const branch = () => git("branch", "--list", "pth/*", "--format", "%(refname:short)");
  return {
    plugin,
    env,
    git,
    branch,
    iterate: (fixer, ...args) => pth(command(fixer, args), { env }),
    start: (fixer, ...args) => startPth(command(fixer, args), env),
    async commits(type) {
      const format = "--format=%(trailers:key=PTH-Type,valueonly,separator=%x2C)|%s";
      const log = await git("log", "--reverse", format, `main..${await branch()}`);
      return log.split("\n").filter((line) => line.startsWith(`${type}|`)).map((line) =>
        line.slice(type.length + 1)
      );
    },
  };
}

/** Writes a file of the plugin anew. */
export async function rewrite(plugin: string, file: string, change: (text: string) => string): Promise<void> {
  const path = join(plugin, file);
  await writeTextFile(path, change(await readTextFile(path)));
}
