/** What a session's commits are worth: checkpoints only save PTH's own state. */
import { git, gitOutput } from "./git.ts";

/** Path of the saved state of a session, relative to the plugin's folder. */
export const stateFile = ".pth/session-state.json";

/** Value of `PTH-Type` on commits that save the session's state and nothing else. */
export const checkpointType = "state-checkpoint";

/** Arguments of git whose output `countCommits` reads; a range comes after them. */
export const logTypes = [
  "log",
  "--no-color",
  "--no-show-signature",
  // Trailers, not any line of the message: who writes a fix may write anything.
  "--format=%(trailers:key=PTH-Type,valueonly,separator=%x2C)",
];

export function countCommits(log: string): { commits: number; checkpoints: number } {
  const types = log.split("\n").slice(0, -1);
  const checkpoints = types.filter((each) => each.trim() === checkpointType).length;
  return { commits: types.length - checkpoints, checkpoints };
}

export interface SessionCommits {
  /** Where the branch stands. */
  tip: string;
  /** Beyond the base, without checkpoints. */
  commits: number;
  checkpoints: number;
}

/** What only the session branch holds; undefined when there is no such branch. */
export async function sessionCommits(
  top: string,
  branch: string,
  base: string,
): Promise<SessionCommits | undefined> {
  const verify = await git(top, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`]);
  if (verify.code !== 0) return undefined;
  const tip = verify.stdout.trim();
  return { tip, ...countCommits(await gitOutput(top, [...logTypes, `${base}..${tip}`])) };
}
