/** Has npm fetch the packages of the lock file, and says how many it has. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const longestMs = 15 * 60_000;

/** Said here whatever the user's configuration says: the folder, and what an installation consists of. */
const options = [
  "--omit=dev",
  "--include=optional",
  "--ignore-scripts",
  "--package-lock=true",
  "--no-global",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--no-progress",
];

/**
 * @param {object} parts
 * @param {string} parts.staging folder with package.json and package-lock.json
 * @param {{ write(text: string): void }} parts.log
 * @param {(doing: string, share: number) => void} parts.tell
 */
export async function fetchPackages({ staging, log, tell }) {
  const wanted = wantedPackages(staging).map((path) => join(staging, path, "package.json"));
  const count = () => {
    const there = wanted.filter((path) => existsSync(path)).length;
    tell(`npm is fetching packages: ${there} of ${wanted.length}`, 0.8 * there / wanted.length);
  };
  count();
  const counting = setInterval(count, 500);
  try {
    await npm(["ci", `--prefix=${staging}`, ...options], staging, log);
  } finally {
    clearInterval(counting);
  }
}

/** Folders of the packages that npm puts on this machine. */
function wantedPackages(staging) {
  const { packages } = JSON.parse(readFileSync(join(staging, "package-lock.json"), "utf8"));
  const fits = (allowed, own) =>
    allowed === undefined || (allowed.some((name) => name === own || name.startsWith("!")) &&
      !allowed.includes(`!${own}`));
  return Object.entries(packages)
    .filter(([path, { dev, os, cpu }]) =>
      path !== "" && !dev && fits(os, process.platform) && fits(cpu, process.arch)
    )
    .map(([path]) => path);
}

function npm(args, cwd, log) {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", args, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: longestMs });
    child.stdout.on("data", (text) => log.write(text));
    child.stderr.on("data", (text) => log.write(text));
    child.on("error", (cause) => {
      reject(new Error(cause.code === "ENOENT" ? "npm is not on PATH" : `npm: ${cause.message}`, { cause }));
    });
    child.on("close", (code, signal) => {
      if (code === 0) return resolve();
      const ended = code === null ? `was ended by ${signal}` : `exited with ${code}`;
      reject(new Error(`npm ci ${ended}`));
    });
  });
}
