/** PTH as users get it: from a marketplace's repository, into Claude Code's folder of plugins. */
import { join } from "node:path";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { root } from "../../support/pth.ts";
import type { ClaudeCode } from "./claude_code.ts";

/** Address that nobody is asked for: git takes the repository on this machine in its place. */
const address = "https://git.example.org/pth.git";

/** Prefix that Claude Code gives the names of an installed PTH's tools. */
export const pluginPrefix = "mcp__plugin_pth_pth__";

/**
 * Adds this repository, as it is in the working tree, as a marketplace, and installs PTH from it.
 * A folder's path as the marketplace would not do: Claude Code runs such a plugin where it lies.
 * @throws {Error} when Claude Code refuses it
 */
export async function installFromMarketplace({ claude, folder, home }: ClaudeCode): Promise<void> {
  const repository = join(folder, "marketplace");
  await mkdir(repository);
  const listed = "git ls-files -z --cached --others --exclude-standard";
  await succeed(
    ["sh", "-c", `${listed} | tar --null --ignore-failed-read -T - -cf - | tar -xf - -C "$0"`, repository],
    root,
  );
  await succeed(["git", "init", "-q", "-b", "main"], repository);
  await succeed(["git", "add", "-A"], repository);
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
  await succeed(["git", ...identity, "commit", "-q", "-m", "as it is"], repository);
  await writeTextFile(join(home, ".gitconfig"), `[url "file://${repository}"]\n\tinsteadOf = ${address}\n`);
  for (const args of [["marketplace", "add", address], ["install", "pth@plugin-test-harness"]]) {
    const { code, stdout, stderr } = await claude(["plugin", ...args]);
    if (code !== 0) {
      throw new Error(`claude plugin ${args.join(" ")} exited with ${code}:\n${stdout}${stderr}`);
    }
  }
}

async function succeed(command: readonly string[], cwd: string): Promise<void> {
  const { code, stderr } = await runCommand(command, { cwd });
  if (code !== 0) throw new Error(`${command.join(" ")} exited with ${code}: ${stderr}`);
}
