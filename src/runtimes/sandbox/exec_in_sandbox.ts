/** Commands inside a sandbox: `nsenter` into its namespaces, with the abilities that a container would leave to root. */
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import { signalProcess } from "../../platform/process.ts";
import type { EnvironmentProcess, ExecOptions } from "../runtime.ts";
import {
  commandInFolder,
  execLocally,
  execTag,
  type LocalCommand,
  startLive,
} from "../shared/exec_locally.ts";
import {
  childrenOf,
  commandOf,
  endTagged,
  innerPid,
  isProcessAlive,
  isUp,
  type ProcessId,
  taggedPids,
} from "../../platform/proc.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { posix } from "node:path";
import { joining, joiningAsVictim, victimScore } from "./limiter.ts";
import { defaultPath, exitReason } from "./sandbox_process.ts";
import { filteredCommand } from "./confine/filtered_command.ts";
import { agentKey, lastEvents, recordSandboxEvent, sandboxOf } from "./sandbox_state.ts";
import { agentEnded } from "../shared/agent/agent_ended.ts";
import { agentOf, type AgentProcess, type CommandAgent } from "../shared/agent/command_agents.ts";
import { execByAgent } from "../shared/agent/exec_by_agent.ts";
import type { ExecResult } from "../../../machines/model/environment_operations.ts";

/**
 * Capabilities that root retains inside: enough for package managers, users and services. Not: mounting,
 * devices, kernel modules, time, or the network of the host, which the sandbox shares.
 */
const kept = ["chown", "dac_override", "fowner", "fsetid", "kill", "setgid", "setuid", "setpcap", "setfcap"]
  .concat("net_bind_service", "sys_chroot", "audit_write");
const boundingSet = ["-all", ...kept.map((name) => `+${name}`)].join(",");

type CommandOptions = Pick<ExecOptions, "cwd" | "env">;

/** @throws {PthError} `ENVIRONMENT_LOST` when the sandbox does not live */
async function commandIn(
  handle: EnvironmentHandle,
  command: readonly string[],
  options: CommandOptions,
  join = joiningAsVictim,
): Promise<LocalCommand> {
  const box = sandboxOf(handle);
  const { env, first } = handIn({ ...box.env, ...options.env });
  const words = commandInFolder(posix.resolve(handle.sourcePath, options.cwd ?? "."), command, first);
  await requireRunningSandbox(handle);
  const { helpers, init } = box.life;
  const namespaces = ["--mount", "--pid", "--uts", "--ipc"];
  if (box.spec.network === "none") namespaces.push("--net");
  if (box.method.userNamespace) namespaces.push("--user", "--preserve-credentials");
  return {
    cwd: "/",
    env: { ...env, PATH: defaultPath },
    words: [
      ...join(box.limiter.groups),
      ...box.affinity,
      ...(box.method.filtered ? filteredCommand() : []),
      ...["nsenter", "--target", String(init.pid), ...namespaces, "--"],
      // A session of its own inside: signals reach the command's group and not nsenter, which passes the end on.
      ...(helpers.includes("setsid") ? ["setsid"] : []),
      ...(helpers.includes("setpriv") ? ["setpriv", "--no-new-privs", "--bounding-set", boundingSet] : []),
      ...words,
    ],
  };
}

export async function requireRunningSandbox(handle: EnvironmentHandle): Promise<void> {
  if (await isUp(sandboxOf(handle).life.init)) return;
  throw new PthError(
    "ENVIRONMENT_LOST",
    `Cannot use environment ${handle.environmentId}: its sandbox has ended`,
    { output: await lastEvents(handle, 50), ...await exitReason(sandboxOf(handle).life) },
  );
}

/** Message of `nsenter` for a sandbox that ends at this very moment. */
const notEntered = /^nsenter: (?:cannot open|reassociate|setns)/;
const endsWithinMs = 2000;

async function untilEnded(handle: EnvironmentHandle): Promise<void> {
  const deadline = performance.now() + endsWithinMs;
  while (performance.now() < deadline && await isUp(sandboxOf(handle).life.init)) {
    await sleep(10);
  }
}

/** Runs a command to its end; about 1 ms by the sandbox's agent. What that did not begin enters by itself. */
export async function execIn(
  handle: EnvironmentHandle,
  command: readonly string[],
  options: ExecOptions = {},
): Promise<ExecResult> {
  options.signal?.throwIfAborted();
  const result = await inSandboxByAgent(handle, command, options) ??
    await execByEntering(handle, command, options);
  if (result.code !== 0) {
    if (notEntered.test(result.stderr)) await untilEnded(handle);
    await requireRunningSandbox(handle);
  }
  await recordSandboxEvent(handle, `exec exited with ${result.code ?? result.signal}: ${command.join(" ")}`);
  return result;
}

/** Runs a command without the agent; it takes six programs on the way in, and about 15 ms. */
export const execByEntering = async (
  handle: EnvironmentHandle,
  command: readonly string[],
  options: ExecOptions = {},
): Promise<ExecResult> => await execLocally(await commandIn(handle, command, options), options);

async function inSandboxByAgent(
  handle: EnvironmentHandle,
  command: readonly string[],
  options: ExecOptions,
): Promise<ExecResult | undefined> {
  const cwd = posix.resolve(handle.sourcePath, options.cwd ?? ".");
  const given = Object.entries(options.env ?? {}).filter(([name]) => !bashFunction.test(name));
  // As after the `cd` of the shell that the other way takes.
  const env = { ...Object.fromEntries(given), PWD: cwd, OLDPWD: "/" };
  const endMarked = (mark: string) => endTagged(execTag, mark);
  const stdin = options.stdin ?? ""; // a pipe, as by the other way: some programs ask what it is
  return await execByAgent(sandboxAgent(handle), { command, cwd, env }, { ...options, stdin }, {
    endMarked,
    async lossOf({ process, isSilent }, mark) {
      await endMarked(mark);
      await requireRunningSandbox(handle);
      return agentEnded(command, isSilent, await process.endReason());
    },
  });
}

/** Resolves to the agent of the sandbox's life, started if it may be; undefined where there is none. Never rejects. */
function sandboxAgent(handle: EnvironmentHandle): Promise<CommandAgent | undefined> {
  const start = async (words: string[]): Promise<AgentProcess> => {
    // It must not be the victim where files in memory take all that there is: its commands are.
    const { child, inside } = await startIn(handle, words, { cwd: "/" }, joining);
    // Where the agent was stopped nsenter stops, too, and would keep the sandbox's first process from its end.
    const kill = () => {
      for (const pid of [inside, child.pid]) {
        if (pid !== undefined && !hasEnded) signalProcess(pid, "SIGKILL");
      }
    };
    let hasEnded = false;
    child.ended.then(() => hasEnded = true);
    return {
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr,
      endReason: () =>
        Promise.race([
          child.exited.then(({ code, signal }) => code ?? signal ?? "unknown"),
          sleep(endsWithinMs, "unknown"),
        ]),
      end() {
        child.stdin.destroy();
        kill();
      },
      kill: () => Promise.resolve(kill()),
      hold: () => {}, // the sandbox's first process lives by this one all the same
      isPaused: () => false,
    };
  };
  const isLimited = sandboxOf(handle).limiter.groups.length > 0;
  return agentOf(agentKey(handle), start, isLimited ? victimScore : 0);
}

export async function spawnIn(
  handle: EnvironmentHandle,
  command: readonly string[],
  options: CommandOptions = {},
): Promise<EnvironmentProcess> {
  await sandboxAgent(handle); // it has to be there before anything of the plugin's runs
  const { child, inside } = await startIn(handle, command, options);
  await recordSandboxEvent(handle, `spawn: ${command.join(" ")}`);
  const { exited } = child;
  exited.then(({ code, signal }) =>
    recordSandboxEvent(handle, `ended with ${code ?? signal}: ${command.join(" ")}`)
  );
  return {
    pid: inside && await innerPid(inside),
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    // The group may outlive its leader; before `setsid` has run there is no group yet.
    kill: (signal, whom) => {
      if (inside !== undefined) {
        const isSignalled = whom !== "leader" && signalProcess(-inside, signal);
        if (!isSignalled) signalProcess(inside, signal);
      }
      // Where the command stops itself nsenter stops, too, and takes note of no end any more.
      if (signal === "SIGKILL") signalProcess(child.pid, signal);
      return Promise.resolve();
    },
  };
}

/** A started command: `nsenter`, and the host's pid of its child, which is the command itself. */
export async function startIn(
  handle: EnvironmentHandle,
  command: readonly string[],
  options: CommandOptions = {},
  join = joiningAsVictim,
) {
  const child = await startLive(await commandIn(handle, command, options, join));
  let ended = false;
  child.ended.then(() => ended = true);
  let inside: number | undefined;
  while (!ended && inside === undefined) {
    inside = (await childrenOf(child.pid))[0];
    if (inside === undefined) await sleep(1);
  }
  return { child, inside };
}

/**
 * Kills those of a life that has ended. Each ends by itself as soon as it sees its command's end; but one whose command
 * was stopped has stopped itself with it, and would keep the sandbox's control groups, and its own pipes, for good.
 */
export async function endEntered(environmentId: string, init: ProcessId): Promise<void> {
  if (await isProcessAlive(init)) return;
  for (const pid of await taggedPids("PTH_ENVIRONMENT", environmentId)) {
    const words = await commandOf(pid);
    if (words[words.indexOf("--target") + 1] === String(init.pid)) signalProcess(pid, "SIGKILL");
  }
}

/**
 * Variables of a command inside, kept from the host's programs that lead there. Their loader, shell and Perl obey some
 * (`LD_PRELOAD`, `PATH`, `PERL5OPT`, functions of bash), so the author of a plugin's configuration would run code outside.
 */

/** Stands before a name on the way in. */
const prefix = "PTH_INSIDE_";

/** Names that mean nothing to a program of the host, and those that a shell does not let one set. */
const asTheyAre = /^(?!PTH_INSIDE_)PTH_|^(UID|EUID|PPID|BASHOPTS|SHELLOPTS|BASH_VERSINFO)$/;

const shellName = /^[A-Za-z_]\w*$/;

/** Form in which bash passes functions on. */
const bashFunction = /^BASH_FUNC_/;

/**
 * @returns the variables to start with, and what a shell inside has to run first to have the ones that were given. A name that
 * a shell cannot set goes in as it is, but for functions: bash would run them.
 */
export function handIn(variables: Record<string, string>): { env: Record<string, string>; first: string } {
  const entries = Object.entries(variables).filter(([name]) => !bashFunction.test(name));
  const hidden = entries.map(([name]) => name).filter((name) =>
    shellName.test(name) && !asTheyAre.test(name)
  );
  const renamed = entries.map(([name, value]) => [hidden.includes(name) ? prefix + name : name, value]);
  const settings = hidden.map((name) => `export ${name}="$${prefix}${name}"; unset ${prefix}${name}; `);
  return { env: Object.fromEntries(renamed), first: settings.join("") };
}
