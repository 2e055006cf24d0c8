/** Fixture servers as processes of the host, for tests of the client. */
import { fileURLToPath } from "node:url";
import { type HostProcess, signalProcess, spawnProcess } from "../../../src/platform/process.ts";
import type { EnvironmentProcess } from "../../../src/runtimes/runtime.ts";

export const fixturePath = (path: string): string =>
  fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url));
export const modulePath = (path: string): string =>
  fileURLToPath(new URL(`../../../node_modules/${path}`, import.meta.url));

const asEnvironmentProcess = (host: HostProcess): EnvironmentProcess => ({
  pid: host.pid,
  stdin: host.stdin,
  stdout: host.stdout,
  stderr: host.stderr,
  exited: host.exited,
  kill: (signal) => Promise.resolve(host.kill(signal)),
});

export async function spawnServer(
  command: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<EnvironmentProcess> {
  return asEnvironmentProcess(await spawnProcess(command, { ownGroup: true, ...options }));
}

/** `faulty.mjs` with one fault; further arguments as its README says. */
export const spawnFaulty = (fault: string, ...args: string[]): Promise<EnvironmentProcess> =>
  spawnServer(["node", fixturePath("faulty_servers/faulty.mjs"), "--fault", fault, ...args]);

/** True as long as there is a process with this pid. */
export const isAlive = (pid: number): boolean => signalProcess(pid, 0);
