/** Licenses of the packages that a bundle holds: who hands the bundle on hands these on, too. */
import { join } from "node:path";
import { readDir, readTextFile } from "../src/platform/files.ts";

interface LockFile {
  packages: Record<string, { version: string; license?: string; dev?: boolean; optional?: boolean }>;
}

/** One text with the license of each package of the lock file that is no development tool, as it is installed. */
export async function bundledLicenses(root: string): Promise<string> {
  const lock: LockFile = JSON.parse(await readTextFile(join(root, "package-lock.json")));
  const texts = new Map<string, string[]>();
  for (const [path, { version, license = "unknown", dev, optional }] of Object.entries(lock.packages)) {
    if (path === "" || dev || optional) continue;
    const text = await licenseIn(join(root, path)) ?? `License: ${license}`;
    texts.set(text, [...texts.get(text) ?? [], `${path.split("node_modules/").at(-1)} ${version}`]);
  }
  return [...texts].map(([text, names]) => `${names.join(", ")}\n\n${text}\n`).join(
    `\n${"-".repeat(78)}\n\n`,
  );
}

async function licenseIn(folder: string): Promise<string | undefined> {
  const found: string[] = [];
  for await (const { name, isDirectory } of readDir(folder)) {
    if (!isDirectory && /^(licen[cs]e|copying|notice)\b/i.test(name)) found.push(name);
  }
  if (found.length === 0) return undefined;
  const texts = await Promise.all(found.sort().map((name) => readTextFile(join(folder, name))));
  return texts.map((text) => text.trim()).join("\n\n");
}
