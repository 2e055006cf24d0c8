/** Which folders of a source each machine has its own of, where the source itself is one and the same on both sides. */
import { posix } from "node:path";
import { run } from "../../../platform/process.ts";
import { broughtAlong } from "./host_side.ts";
import { foldersAbove, leftOut } from "./listing.ts";

/** What is installed or built beside a manifest. */
const filledBeside: Readonly<Record<string, string>> = {
  "package.json": "node_modules",
  "pyproject.toml": ".venv",
  "requirements.txt": ".venv",
  "setup.py": ".venv",
  "Cargo.toml": "target",
};

/**
 * Relative paths: what the source brought along, and what installing and building will fill. A manifest below another
 * of its kind (a workspace's member) is installed from there.
 */
export async function ownFoldersOf(hostPath: string): Promise<string[]> {
  return ownFolders(await manifestsIn(hostPath), await broughtAlong(hostPath));
}

/** The same from paths of manifests and of folders that are there already. Pure. */
export function ownFolders(manifests: readonly string[], brought: readonly string[]): string[] {
  const filled = manifests.map((path) =>
    posix.join(posix.dirname(path), filledBeside[posix.basename(path)]!)
  );
  const all = new Set(filled);
  const top = filled.filter((path) =>
    !foldersAbove(posix.dirname(path)).concat(posix.dirname(path) === "." ? [] : ["."])
      .some((above) => all.has(posix.join(above, posix.basename(path))))
  );
  return [...new Set([...top, ...brought])].sort();
}

async function manifestsIn(hostPath: string): Promise<string[]> {
  const either = (flag: string, names: readonly string[]) =>
    names.flatMap((name) => ["-o", flag, name]).slice(1);
  const apart = ["(", ...either("-name", leftOut), ")", "-prune"];
  const wanted = ["(", ...either("-name", Object.keys(filledBeside)), ")", "-type", "f", "-printf", "%P\\0"];
  const { stdout } = await run(["find", ".", "-xdev", ...apart, "-o", ...wanted], { cwd: hostPath });
  return stdout.split("\0").filter((path) => path !== "");
}
