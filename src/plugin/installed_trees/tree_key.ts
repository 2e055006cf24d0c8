/** Keys of installed trees: what decides about a tree's content is in its key, so that no other plugin gets it. */
import { createHash } from "node:crypto";
import { posix } from "node:path";
import { isObject, jsonIn } from "../../core/values.ts";
import type { ConfinedFolder } from "../../platform/confined/open_confined.ts";
import { installScripts, type PackageJson } from "../package_json.ts";

/** Changes when trees are kept in another way. */
const generation = "2";

/** Hash of parts, as a key of the store. */
export const treeKey = (...parts: readonly string[]): string => {
  const hash = createHash("sha256");
  // With their lengths: no two lists of parts read the same.
  for (const part of [generation, ...parts]) hash.update(`${part.length}\0${part}\0`);
  return hash.digest("hex").slice(0, 32);
};

/** Content of a plugin's folder on which its tree hangs. */
export interface FolderContent {
  /** Manifests and lockfile, and all of the source where an install can run or read any of it. */
  parts: string[];
  /** The plugin's own scripts run in an install: they have to run again over a tree that was kept. */
  ownScripts: boolean;
}

/** Limits of a source that is hashed whole. */
const [mostFiles, mostBytes] = [3000, 64_000_000];

/**
 * Reads from the host's copy of the source, which nothing inside can change. Undefined where a tree is not to be kept: no
 * lockfile; parts of it lie elsewhere (workspaces, links, packages in folders).
 */
export async function folderContent(folder: ConfinedFolder): Promise<FolderContent | undefined> {
  // What is a link or no file cannot be read: the tree is then not kept.
  const read = (file: string) => folder.readText(file).catch(() => "unreadable");
  const [manifest, lockfile, npmrc] = [
    await read("package.json"),
    await read("npm-shrinkwrap.json") ?? await read("package-lock.json"),
    await read(".npmrc"),
  ];
  if ([manifest, lockfile, npmrc].includes("unreadable")) return undefined;
  const value = jsonIn(manifest ?? "");
  if (!isObject(value) || lockfile === undefined || leadsElsewhere(value, lockfile)) return undefined;
  const { scripts } = value as PackageJson;
  const ownScripts = installScripts.some((script) => scripts?.[script] !== undefined) ||
    await folder.stat("binding.gyp") !== undefined;
  const parts = [manifest!, lockfile, npmrc ?? ""];
  const runsCode = ownScripts || npmrc !== undefined || /"hasInstallScript": *true/.test(lockfile);
  if (!runsCode) return { parts, ownScripts };
  const whole = await hashOfSource(folder);
  return whole === undefined ? undefined : { parts: [...parts, whole], ownScripts };
}

const dependencyTables = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
  "overrides",
] as const;

function leadsElsewhere(manifest: Record<string, unknown>, lockfile: string): boolean {
  if (manifest.workspaces !== undefined) return true;
  if (/"link": *true|"(?:resolved|version)": *"(?:file|link):/.test(lockfile)) return true;
  return dependencyTables.some((table) =>
    /"(?:file|link|workspace|portal):|"[.~/]/.test(JSON.stringify(manifest[table] ?? {}))
  );
}

/** Undefined for one that is too large, and for one that holds links or packages that are installed already. */
async function hashOfSource(folder: ConfinedFolder): Promise<string | undefined> {
  const hash = createHash("sha256");
  let [files, bytes] = [0, 0];
  const queue = [""];
  while (queue.length > 0) {
    const at = queue.shift()!;
    for (const { name, kind } of await folder.list(at)) {
      const path = posix.join(at, name);
      if (path === ".git" || path === ".pth") continue;
      if (kind === "folder" && name !== "node_modules") queue.push(path);
      else if (kind !== "file" || ++files > mostFiles) return undefined;
      else {
        const content = await folder.read(path, { maxBytes: mostBytes });
        bytes += content?.byteLength ?? 0;
        if (content === undefined || bytes > mostBytes) return undefined;
        const mode = (await folder.stat(path))?.mode ?? 0;
        hash.update(`${path}\0${mode & 0o111}\0${content.byteLength}\0`).update(content);
      }
    }
  }
  return hash.digest("hex");
}
