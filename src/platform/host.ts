/** Facts of the host about this process: arguments, variables, ending, signals. */
import process from "node:process";
import { availableParallelism, homedir } from "node:os";
import { join } from "node:path";
import { isDeno, platform } from "./deno.ts";
import { countListener } from "./watchdog.ts";
import { readFileSync } from "node:fs";
import { PthError } from "../core/errors.ts";

export { isDeno } from "./deno.ts";

export const processArgs: string[] = platform.args;
export const readEnv = (name: string): string | undefined => platform.env.get(name);
export const allEnv = (): Record<string, string> => platform.env.toObject();
export const cwd = (): string => platform.cwd();
export const exitProcess = (code: number): never => platform.exit(code);
/** For people: "Deno 2.9.6", "Node 22.12.0". */
export const runtimeVersion: string = isDeno
  ? `Deno ${process.versions.deno}`
  : `Node ${process.versions.node}`;
export const processId: number = process.pid;
export const isMacOS: boolean = process.platform === "darwin";
/** Processors that this process may use. */
export const cpuCount = (): number => availableParallelism();
export const uid = (): number => process.getuid?.() ?? 0;
type EndingSignal = "SIGINT" | "SIGTERM" | "SIGHUP";
export function onSignal(signal: EndingSignal, listener: () => void): void {
  platform.addSignalListener(signal, listener);
  countListener(1);
}
/** For a listener that `onSignal` was given. */
export function offSignal(signal: EndingSignal, listener: () => void): void {
  platform.removeSignalListener(signal, listener);
  countListener(-1);
}
/** Time that this process has computed so far, in milliseconds, all its threads together. */
export function computedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
export const stdinIsTerminal = (): boolean => process.stdin.isTTY === true;

/** Folder of PTH's own state: the register of sessions, cached images (`PTH_HOME`, default `~/.pth`). */
export const stateDir = (): string => readEnv("PTH_HOME") ?? join(homedir(), ".pth");
/** Folder of what earlier runs of tests came to (`PTH_HISTORY_DIR`). */
export const historyDir = (): string => readEnv("PTH_HISTORY_DIR") ?? join(stateDir(), "history");
/** Folder of unpacked base images and VM disks (`PTH_BASE_IMAGE_DIR`). */
export const imageDir = (): string => readEnv("PTH_BASE_IMAGE_DIR") ?? join(stateDir(), "images");
/** Parent folder of worktrees (`PTH_WORKTREE_DIR`). */
export const worktreeDir = (): string => readEnv("PTH_WORKTREE_DIR") ?? "/tmp";
/** Folder of Claude Code's settings (`CLAUDE_CONFIG_DIR`, default `~/.claude`). */
export const claudeDir = (): string => readEnv("CLAUDE_CONFIG_DIR") ?? join(homedir(), ".claude");
/** Folder of Claude Code's plugins; its variable names the folder above the cache, whatever it is called. */
export const claudePluginDir = (): string =>
  readEnv("CLAUDE_CODE_PLUGIN_CACHE_DIR") ?? join(claudeDir(), "plugins");

/**
 * One server on stdio takes three, a command as many, and Node opens the modules that one imports all at once; with fewer, what
 * fails first says nothing of the cause.
 */
const least = isDeno ? 64 : 128;

/** Undefined where the system does not tell, or sets no limit. */
function openFileLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined; // no such file, as on macOS: what needs more fails by itself
  }
}

/** @throws {PthError} `INVALID_CONFIG` before anything is begun that could not be ended */
export function requireOpenFiles(limit: number | undefined = openFileLimit()): void {
  if (limit === undefined || limit >= least) return;
  throw new PthError(
    "INVALID_CONFIG",
    `Cannot start: this process may have ${limit} files open at once (ulimit -n), and needs at least ${least}`,
    { limit, next: ["Raise the limit in the shell that starts PTH: ulimit -n 1024"] },
  );
}
