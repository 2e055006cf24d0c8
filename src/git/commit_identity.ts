/** Who PTH commits as: the user that git knows, or PTH itself where git knows none. */
import { branchGit, type SessionBranch } from "./session_branch.ts";

/** Settings for commands that make commits; PTH never writes them into a configuration. */
export async function commitIdentity(branch: SessionBranch): Promise<string[]> {
  const { stdout } = await branchGit(branch, ["config", "--get-regexp", "^user\\.(name|email)$"]);
  const set = new Set(
    stdout.split("\n").filter((line) => /^\S+ \S/.test(line)).map((line) => line.split(" ")[0]),
  );
  return [
    ...(set.has("user.name") ? [] : ["-c", "user.name=Plugin Test Harness"]),
    ...(set.has("user.email") ? [] : ["-c", "user.email=pth@localhost"]),
  ];
}
