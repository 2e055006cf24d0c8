/** The agents that PTH can run. */
import { errorMessage, PthError } from "../../core/errors.ts";
import { realPath } from "../../platform/files.ts";
import { readEnv } from "../../platform/host.ts";
import { runCommand } from "../../platform/process.ts";
import type { AgentDefinition } from "./agent.ts";
import { claude } from "./claude.ts";

export const agents: readonly AgentDefinition[] = [claude];

/** @throws {PthError} `INVALID_INPUT` */
export function agentNamed(name: string): AgentDefinition {
  const found = agents.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  const names = agents.map(({ name }) => name).join(", ");
  throw new PthError("INVALID_INPUT", `Cannot run agent: there is none called ${name}`, {
    next: [`One of: ${names}`],
  });
}

/** An agent on this machine. */
export interface InstalledAgent {
  /** Path of its program, links resolved. */
  program: string;
  version: string;
}

const versionLimitMs = 20_000;
/** By program: asking starts it, which takes a tenth of a second and more. */
const versions = new Map<string, string>();

/**
 * Finds the program: the given one, that of the agent's variable, or that on PATH.
 * @throws {PthError} `TOOLCHAIN_MISSING` where there is none, or where it does not tell its version
 */
export async function findAgent(agent: AgentDefinition, given?: string): Promise<InstalledAgent> {
  const named = given ?? readEnv(agent.variable);
  const program = named?.includes("/") ? await whereIs(named) : await onPath(named ?? agent.program);
  const next = [
    { terminal: `Install it: ${agent.install}` },
    { terminal: `Or name its program in ${agent.variable}` },
  ];
  if (program === undefined) {
    const place = named === undefined ? `no ${agent.program} is on PATH` : `there is no ${named}`;
    throw new PthError("TOOLCHAIN_MISSING", `Cannot run ${agent.name}: ${place}`, { next });
  }
  const known = versions.get(program);
  if (known !== undefined) return { program, version: known };
  try {
    const { stdout, stderr, code } = await runCommand([program, "--version"], {
      signal: AbortSignal.timeout(versionLimitMs),
    });
    const version = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
    if (code === 0 && version !== undefined) {
      versions.set(program, version);
      return { program, version };
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
