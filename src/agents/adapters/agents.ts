/** The agents that PTH can run. */
import { errorMessage, PthError } from "../../core/errors.ts";
import { realPath } from "../../platform/files.ts";
import { readEnv } from "../../platform/host.ts";
import { runCommand } from "../../platform/process.ts";
import type { AgentDefinition, AgentInstallation } from "./agent.ts";
import { agentProgram } from "./agent_program.ts";
import { claude } from "./claude.ts";
import { claudeEval } from "./claude_eval.ts";
import { codex } from "./codex.ts";
import { command } from "./command.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";

export const agents: readonly AgentDefinition[] = [claude, codex, opencode, gemini, qwen, pi, command];

/**
 * @param among The runner of evals takes no prompts: it is none of those to choose from.
 * @throws {PthError} `INVALID_INPUT`
 */
export function agentNamed(
  name: string,
  among: readonly AgentDefinition[] = [...agents, claudeEval],
): AgentDefinition {
  const found = among.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  const names = agents.map(({ name }) => name).join(", ");
  throw new PthError("INVALID_INPUT", `Cannot run agent: there is none called ${name}`, {
    next: [`One of: ${names}`],
  });
}

/** An agent on this machine; one that a command line starts has no version, and a program only where one was given. */
export interface InstalledAgent {
  /** Path of its program, links resolved. */
  program: string | undefined;
  /** File or folder that holds all that the program needs. */
  root: string | undefined;
  version: string | undefined;
  /** Range of Node versions that it asks for. */
  node?: string;
}

const versionLimitMs = 20_000;
/** By program: asking starts it, which takes a tenth of a second and more. */
const versions = new Map<string, string>();

/** Command that installs an agent, for people. */
const installCommand = ({ packages: [name] }: AgentInstallation): string => `npm install -g ${name}`;

/**
 * Finds the program: the given one, that of the agent's variable (one that is empty counts as not set), or that on PATH.
 * @throws {PthError} `TOOLCHAIN_MISSING` where there is none, or where it does not tell its version
 */
export async function findAgent(agent: AgentDefinition, given?: string): Promise<InstalledAgent> {
  const { installation } = agent;
  if (installation === undefined) return { program: given, root: given, version: undefined };
  const { variable, program: usual } = installation;
  const named = given ?? (readEnv(variable) || undefined);
  const path = named?.includes("/") ? await whereIs(named) : await onPath(named ?? usual);
  const next = [
    { terminal: `Install it: ${installCommand(installation)}` },
    { terminal: `Or name its program in ${variable}` },
  ];
  if (path === undefined) {
    const place = named === undefined ? `no ${usual} is on PATH` : `there is no ${named}`;
    throw new PthError("TOOLCHAIN_MISSING", `Cannot run ${agent.name}: ${place}`, { next });
  }
  const found = await agentProgram(installation, path);
  const { program, version: told = versions.get(program) } = found;
  if (told !== undefined) return { ...found, version: told };
  try {
    const { stdout, stderr, code } = await runCommand([program, "--version"], {
      signal: AbortSignal.timeout(versionLimitMs),
    });
    const version = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
    if (code === 0 && version !== undefined) {
      versions.set(program, version);
      return { ...found, version };
    }
    throw new Error(`${program} --version answers ${(stdout + stderr).trim().slice(0, 200)}`);
  } catch (cause) {
    const message = `Cannot run ${agent.name}: it does not tell its version: ${errorMessage(cause)}`;
    throw new PthError("TOOLCHAIN_MISSING", message, { next }, { cause });
  }
}

/** Path without links; undefined where nothing is. */
const whereIs = (path: string): Promise<string | undefined> => realPath(path).catch(() => undefined); // nothing is there, or it cannot be seen

async function onPath(name: string): Promise<string | undefined> {
  for (const folder of (readEnv("PATH") ?? "").split(":").filter((folder) => folder.startsWith("/"))) {
    const found = await whereIs(`${folder}/${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
