/** Content of a sandbox's handle, and the sandbox's own log. */
import { join } from "node:path";
import type { EnvironmentHandle, EnvironmentSpec } from "../../../machines/model/environment.ts";
import { isNotFound, readTextIfExists, writeTextFile } from "../../platform/files.ts";
import { log, withoutSecrets } from "../../platform/log.ts";
import type { SandboxProcess } from "./sandbox_process.ts";
import type { Limiter } from "./limiter.ts";
import type { Method } from "./isolation_support.ts";

export interface Sandbox {
  folder: string;
  lifeNumber: number;
  life: SandboxProcess;
  method: Method;
  spec: EnvironmentSpec;
  limiter: Limiter;
  /** Whether the disk limit holds: data in a sized tmpfs. */
  diskEnforced: boolean;
  /** Words that bind a command to some CPUs, where no group limits them. */
  affinity: string[];
  env: Record<string, string>;
}

export const sandboxOf = (handle: EnvironmentHandle): Sandbox => handle.state as unknown as Sandbox;
export const saveSandbox = (handle: EnvironmentHandle, box: Sandbox): EnvironmentHandle => ({
  ...handle,
  state: { ...box } as unknown as Record<string, unknown>,
});

/** Key of a sandbox's command agent: each life has its own. */
export function agentKey(handle: EnvironmentHandle): string {
  const { pid, start } = sandboxOf(handle).life.init;
  return `${handle.environmentId} ${pid}/${start}`;
}

/** Characters of an event that are kept. */
const longestLine = 250;

const logName = "events.log";
const logOf = (handle: EnvironmentHandle): string => join(sandboxOf(handle).folder, logName);

/** Creates the empty log. Lines are added only to an existing one, so that the end of a command does not restore it during removal. */
export const beginLog = (folder: string): Promise<void> => writeTextFile(join(folder, logName), "");

/**
 * A line in the sandbox's log, without secrets. A sandbox that is gone has no log any more; where the line cannot be written (the
 * disk is full) what it tells of has happened all the same.
 */
export async function recordSandboxEvent(handle: EnvironmentHandle, text: string): Promise<void> {
  const line = withoutSecrets(text).replaceAll("\n", " ");
  const shown = line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
  try {
    const entry = `${new Date().toISOString()} ${shown}\n`;
    await writeTextFile(logOf(handle), entry, { append: true, create: false });
  } catch (error) {
    if (!isNotFound(error)) log.warn("Cannot write the log of a sandbox", { line: shown, error });
  }
}

export async function lastEvents(handle: EnvironmentHandle, count: number): Promise<string> {
  const lines = (await readTextIfExists(logOf(handle)) ?? "").split("\n").filter((line) => line !== "");
  return lines.slice(-count).map((line) => `${line}\n`).join("");
}
