/** The installation as the launcher sees it: starts it where none runs, and waits for its end. */
import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { nodeProblem, oldestNode } from "./node_version.mjs";
import { findInstalled, logFile, root } from "./place.mjs";
import { readState, running } from "./state.mjs";

const pollMs = 200;
/** Tells people and models why an installation ended without a server. */
class InstallationFailed extends Error {}

let current;

/**
 * Resolves with the entry of the installed server. An installation that runs is shared, by whomever it was started; where
 * the last one failed, another begins.
 * @returns {Promise<string>}
 * @throws {InstallationFailed}
 */
export function installed() {
  return current ??= install().catch(explain).finally(() => current = undefined);
}

/** Tells what goes on, in words, with the share that is done (0 to 1). */
export function standing() {
  const { doing = "beginning", share = 0, startedAt = Date.now() } = running() ?? {};
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  return { share, seconds, text: `${doing} (since ${seconds} s)` };
}

async function install() {
  if (nodeProblem !== undefined) throw failure({ reason: nodeProblem, output: "" });
  const asked = Date.now();
  let installer;
  while (true) {
    const state = running();
    if (state === undefined) {
      const entry = findInstalled();
      if (entry !== undefined) return entry;
      const failed = readState();
      if (failed?.failed !== undefined && failed.at >= asked) throw failure(failed.failed);
      if (installer?.failed !== undefined) throw failure({ reason: installer.failed, output: "" });
      // One that left the work to another, which is gone now, or that made a bundle of sources that have changed since.
      if (installer?.ended) installer = undefined;
      installer ??= startInstaller();
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Starts it in a session of its own, so that it outlives this process and the client's. */
function startInstaller() {
  const script = fileURLToPath(new URL("install.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  console.error(`PTH: installing what it needs, once (log: ${logFile})`);
  let stderr = "";
  const installer = { ended: false, failed: undefined };
  child.stderr.setEncoding("utf8").on("data", (text) => stderr += text);
  child.on("error", (error) => installer.failed = error.message);
  child.on("close", (code, signal) => {
    installer.ended = true;
    if (code === 0) return;
    installer.failed = stderr.trim() ||
      `its process ended (${signal ?? `exit code ${code}`}) without a result`;
  });
  return installer;
}

/** Files that cannot be read are told as well. */
function explain(error) {
  throw error instanceof InstallationFailed ? error : failure({ reason: error.message, output: "" });
}

const failure = ({ reason, output }) =>
  new InstallationFailed([
    `installing PTH failed: ${reason}`,
    ...(output === "" ? [] : [`The end of ${logFile}:`, output]),
    "Next:",
    "- Mend what it names (network, npm's registry, room on the disk, rights on the folder), then call again: it starts anew",
    `- Or install by hand, with Node.js ${oldestNode} or newer and npm: node "${
      fileURLToPath(new URL("install.mjs", import.meta.url))
    }"`,
  ].join("\n"));
