/** A copy of this repository to work in, with the packages of the original. */
import { join } from "node:path";
import type { Test } from "tap";
import { mkdir, symlink, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

export interface CheckoutCopy {
  root: string;
  /** Runs a command in it; stdout and stderr in one text. */
  run(command: readonly string[]): Promise<{ code: number | null; text: string }>;
  /** Writes a file, with the folders above it. */
  write(path: string, text: string): Promise<void>;
  /** Commits all there is. */
  commit(subject: string): Promise<void>;
}

/** Copies what git tracks, and what it does not ignore, as it is now. @throws {Error} where git or cp fails */
export async function copyCheckout(t: Test, original: string): Promise<CheckoutCopy> {
  const root = join(await temporaryFolder(t), "copy");
  await mkdir(root);
  const copy: CheckoutCopy = {
    root,
    async run(command) {
      const { code, stdout, stderr } = await runCommand(command, { cwd: root });
      return { code, text: stdout + stderr };
    },
    async write(path, text) {
      await mkdir(join(root, path, ".."), { recursive: true });
      await writeTextFile(join(root, path), text);
    },
    async commit(subject) {
      await must(["git", "add", "--all"], root);
      await must(["git", ...author, "commit", "--quiet", "--no-verify", "-m", subject], root);
    },
  };
  const list = `git ls-files -z --cached --others --exclude-standard --deduplicate`;
  const script = `${list} | while IFS= read -r -d '' path; do [ -e "$path" ] && printf '%s\\0' "$path"; done |
    xargs -0 cp --parents --preserve=mode --target-directory="$0"`;
  await must(["bash", "-c", `set -o pipefail; ${script}`, root], original);
  for (const packages of ["node_modules", "scripts/deno/node_modules"]) {
    await mkdir(join(root, packages, ".."), { recursive: true });
    await symlink(join(original, packages), join(root, packages));
  }
  await must(["git", "init", "--quiet", "--initial-branch", "main"], root);
  // A link is no folder to .gitignore's "node_modules/".
  await writeTextFile(join(root, ".git/info/exclude"), "node_modules\n");
  await copy.commit("Copy");
  return copy;
}

const author = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"];

async function must(command: readonly string[], cwd: string): Promise<void> {
  const { code, stdout, stderr } = await runCommand(command, { cwd });
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stdout}${stderr}`);
}
