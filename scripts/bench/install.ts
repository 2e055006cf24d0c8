/** What an install of the npm package takes on disk, beside all packages that PTH is made of. */
import { join } from "node:path";
import {
  copyFile,
  makeTempDir,
  mkdir,
  removeIfExists,
  stat,
  writeTextFile,
} from "../../src/platform/files.ts";
import { runCommand } from "../../src/platform/process.ts";
import { folderBytes } from "../../test/support/folder_bytes.ts";
import type { Row } from "./table.ts";

const root = join(import.meta.dirname!, "../..");
const install = ["npm", "install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"];

export async function measureInstall(): Promise<Row[]> {
  const folder = await makeTempDir({ prefix: "pth-bench-install-" });
  try {
    const [app, whole, out] = ["app", "whole", "package"].map((name) => join(folder, name));
    await run(["npm", "run", "--silent", "build", "--", "--out", out!], root);
    const tarball = join(folder, (await run(["npm", "pack", "--silent", out!], folder)).trim());
    await mkdir(app!);
    await writeTextFile(join(app!, "package.json"), '{ "private": true }');
    await run([...install, tarball], app!);
    await mkdir(whole!);
    for (const name of ["package.json", "package-lock.json"]) {
      await copyFile(join(root, name), join(whole!, name));
    }
    await run(["npm", "ci", ...install.slice(2)], whole!);
    const plain = { tool: "all its packages", value: await megabytesOf(join(whole!, "node_modules")) };
    const installed = await megabytesOf(join(app!, "node_modules"));
    const packed = (await stat(tarball)).size / 1e6;
    return [
      { what: "the npm package, installed", value: installed, unit: "MB", plain, target: "< 40 MB" },
      { what: "its tarball", value: packed, unit: "MB" },
    ];
  } finally {
    await removeIfExists(folder);
  }
}

async function run(command: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, { cwd });
  if (code !== 0) {
    throw new Error(`Cannot measure the install: ${command.join(" ")} exited with ${code}\n${stderr}`);
  }
  return stdout;
}

const megabytesOf = async (folder: string): Promise<number> => await folderBytes(folder) / 1e6;
