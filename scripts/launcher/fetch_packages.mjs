/** Has npm fetch the packages of the lock file, and says how many it has. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { rare } from "../bundle.mjs";

const longestMs = 15 * 60_000;

/**
 * Options that hold whatever the user's configuration says. No `--prefix`: with it npm skips the machine's own npmrc,
 * which may name the registry and its certificates.
 */
const options = [
  "--omit=dev",
  "--include=optional",
  "--ignore-scripts",
  "--package-lock=true",
  "--no-global",
  "--workspaces=false",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--no-progress",
];

/**
 * @param {object} parts
 * @param {string} parts.root with package.json and package-lock.json
 * @param {string} parts.staging an empty folder
 * @param {{ write(text: string): void }} parts.log
 * @param {(doing: string, share: number) => void} parts.tell
 */
export async function fetchPackages({ root, staging, log, tell }) {
  const { manifest, lock } = withoutRare(root);
  writeFileSync(join(staging, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(staging, "package-lock.json"), JSON.stringify(lock));
  const wanted = wantedPackages(lock).map((path) => join(staging, path, "package.json"));
  const count = () => {
    const there = wanted.filter((path) => existsSync(path)).length;
    tell(`npm is fetching packages: ${there} of ${wanted.length}`, 0.8 * there / wanted.length);
  };
  count();
  const counting = setInterval(count, 500);
  try {
    await npm(["ci", ...options], staging, log);
  } finally {
    clearInterval(counting);
  }
  requireAll(wanted);
}

/** npm is content where optional packages fail; a part of the bundler is one of them. */
function requireAll(wanted) {
  const missing = wanted.filter((path) => !existsSync(path)).map((path) => basename(dirname(path)));
  if (missing.length === 0) return;
  throw new Error(`npm ci left out ${missing.slice(0, 5).join(", ")}`);
}

/** Leaves out the packages that a bundle installs only when they are needed. */
function withoutRare(root) {
  const [manifest, lock] = ["package.json", "package-lock.json"].map((name) =>
    JSON.parse(readFileSync(join(root, name), "utf8"))
  );
  for (const name of rare) {
    const path = `node_modules/${name}`;
    const ofPlatforms = Object.keys(lock.packages[path]?.optionalDependencies ?? {});
    for (const each of [path, ...ofPlatforms.map((own) => `node_modules/${own}`)]) delete lock.packages[each];
    delete lock.packages[""].dependencies[name];
    delete manifest.dependencies[name];
  }
  return { manifest, lock };
}

/** Folders of the packages that npm puts on this machine. */
function wantedPackages({ packages }) {
  const fits = (allowed, own) =>
    allowed === undefined || (allowed.some((name) => name === own || name.startsWith("!")) &&
      !allowed.includes(`!${own}`));
  return Object.entries(packages)
    .filter(([path, { dev, os, cpu, libc }]) =>
      path !== "" && !dev && libc === undefined && fits(os, process.platform) && fits(cpu, process.arch)
    )
    .map(([path]) => path);
}

function npm(args, cwd, log) {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", args, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: longestMs });
    let isFull = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        // npm only warns of it, and ends well with half of the files.
        isFull ||= /\b(ENOSPC|EDQUOT)\b/.test(text);
        log.write(text);
      });
    }
    child.on("error", (cause) => {
      reject(new Error(cause.code === "ENOENT" ? "npm is not on PATH" : `npm: ${cause.message}`, { cause }));
    });
    child.on("close", (code, signal) => {
      if (isFull) return reject(new Error("no room is left on the disk; it takes 300 MB, of which 20 stay"));
      if (code === 0) return resolve();
      const ended = code === null ? `was ended by ${signal}` : `exited with ${code}`;
      reject(new Error(`npm ci ${ended}`));
    });
  });
}
