/** Preflight checks of what PTH itself stands on: the JavaScript runtime, Node for plugins, git. */
import { PthError } from "../core/errors.ts";
import type { PreflightCheck } from "../api/harness.ts";
import { runtimeVersion } from "../platform/host.ts";
import { runCommand } from "../platform/process.ts";
import { describeSuperpowers, findSuperpowers } from "./superpowers.ts";

/** The oldest Node that PTH runs on, and that plugins of today ask for. */
const leastNode = 20;
/** Worktrees as PTH uses them came with it. */
const leastGit = [2, 17] as const;

export const hostChecks = (): Promise<PreflightCheck[]> => Promise.all([nodeCheck(), gitCheck()]);

async function nodeCheck(): Promise<PreflightCheck> {
  const name = "node";
  const own = `PTH runs on ${runtimeVersion}`;
  const found = await versionOf(["node", "--version"]);
  if (found === undefined) {
    const install = `Install Node ${leastNode} or newer, or choose an environment with an image`;
    return {
      name,
      status: "warning",
      message: `${own}; there is no node on the host for plugins in it`,
      next: [{
        terminal: `${install}: --env docker`,
        mcp: `${install}: pth_provision_environment({ runtime: "docker" })`,
      }],
    };
  }
  if (Number(found[0]) >= leastNode) {
    return { name, status: "ok", message: `${own}, node ${found.join(".")}` };
  }
  const message = `node ${found.join(".")} is older than ${leastNode}; ${own}`;
  return { name, status: "warning", message, next: [`Install Node ${leastNode} or newer`] };
}

async function gitCheck(): Promise<PreflightCheck> {
  const name = "git version";
  const found = await versionOf(["git", "--version"]);
  if (found === undefined) {
    const next = ["Install git (for example: apt-get install git)"];
    return { name, status: "warning", message: "no git: sessions have no branch and no fixes", next };
  }
  const [major = 0, minor = 0] = found.map(Number);
  const message = `git ${found.join(".")}`;
  if (major > leastGit[0] || (major === leastGit[0] && minor >= leastGit[1])) {
    return { name, status: "ok", message };
  }
  const wanted = leastGit.join(".");
  return {
    name,
    status: "warning",
    message: `${message} is older than ${wanted}: session branches may not work`,
    next: [`Install git ${wanted} or newer`],
  };
}

/** The first version number that a program says; undefined where there is no such program. */
async function versionOf(command: string[]): Promise<string[] | undefined> {
  try {
    const { code, stdout } = await runCommand(command);
    return code === 0 ? stdout.match(/\d+(?:\.\d+)+/)?.[0].split(".") : undefined;
  } catch (error) {
    // Only a program that is not there cannot be started.
    if (error instanceof PthError && error.code === "EXEC_FAILED") return undefined;
    throw error;
  }
}

/** Checks of the Superpowers plugin; none if it is not installed, since PTH does not need it. */
export async function superpowersChecks(find = findSuperpowers): Promise<PreflightCheck[]> {
  const found = await find();
  return found ? [{ name: "superpowers", status: "ok", message: describeSuperpowers(found) }] : [];
}
