/**
 * npm's `prepare` step: puts the Deno binary, pinned in scripts/deno/package.json, where `npm run pth` looks for it.
 * Quick and offline once it is there. npm runs it in a checkout only, never where the package is installed.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("./deno/", import.meta.url));
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));
const wanted = readJson(`${folder}package.json`).dependencies.deno;
const installed = `${folder}node_modules/deno/`;

if (existsSync(`${installed}deno`) && readJson(`${installed}package.json`).version === wanted) {
  process.exit(0);
}

const options = ["--no-package-lock", "--no-fund", "--no-audit", "--no-update-notifier", "--loglevel=error"];
const npm = process.env.npm_execpath
  ? [process.execPath, process.env.npm_execpath]
  : [process.platform === "win32" ? "npm.cmd" : "npm"];
const [program, ...first] = npm;
const result = spawnSync(program, [...first, "install", "--prefix", folder, ...options], {
  cwd: folder,
  encoding: "utf8",
});
if (result.status !== 0) {
  // Not fatal: the package works on plain Node too (npm run build), but the checkout's commands need Deno.
  console.error(`Cannot install Deno ${wanted}: npm exited with ${result.status ?? result.error?.message}`);
  console.error(`${result.stdout ?? ""}${result.stderr ?? ""}`.trim());
  console.error("`npm run pth` needs it: try `npm run prepare` again with access to the npm registry.");
}
