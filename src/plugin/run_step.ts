/** One command of an install or a build, run inside the environment, and the error that it may end in. */
import type { PluginPlan } from "../../machines/model/plugin.ts";
import { type ErrorCode, PthError } from "../core/errors.ts";
import type { ExecResult } from "../api/requests.ts";
import { networkWords } from "./connectivity.ts";
import type { EnvironmentAccess } from "./environment_access.ts";
import type { NextStep } from "../core/next_step.ts";

export interface LoadStepOptions {
  /** Variables for the commands, for example a registry's token that `.npmrc` refers to. */
  variables?: Record<string, string>;
  /** Words that the user put behind the server's command. */
  args?: string[];
  onOutput?: (text: string, stream: "stdout" | "stderr") => void;
  signal?: AbortSignal;
  /** Takes secrets out of output before a part of it is cut out. */
  hide?: (text: string) => string;
}

export interface LoadReport {
  /** The plan, with what is known by now. */
  plan: PluginPlan;
  output: string;
  durationMs: number;
  /** Why nothing had to be done. */
  skipped?: string;
}

/** Runs a shell command in the plugin's folder. @throws {PthError} of the code given, with the whole output */
export async function runStep(
  action: "install" | "build",
  command: string,
  plan: PluginPlan,
  env: EnvironmentAccess,
  { variables, onOutput, signal, hide = (text) => text }: LoadStepOptions,
): Promise<string> {
  const result = await env.exec(["sh", "-c", command], {
    cwd: plan.folder,
    env: { ...quietNpm, ...variables },
    ...(onOutput === undefined ? {} : { onOutput }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (result.code === 0) return result.stdout + result.stderr;
  const told = { ...result, stdout: hide(result.stdout), stderr: hide(result.stderr) };
  throw stepFailed(action, command, plan, told);
}

/**
 * npm's hints at a newer npm, and at a log file that goes with the environment, would bury what matters. A registry that
 * is not reached is told soon: PTH itself tries again, and says so.
 */
const quietNpm = {
  npm_config_update_notifier: "false",
  npm_config_logs_max: "0",
  npm_config_fetch_retry_mintimeout: "1000",
  npm_config_fetch_retry_maxtimeout: "4000",
};

const codes = { install: "INSTALL_FAILED", build: "BUILD_FAILED" } as const satisfies Record<
  string,
  ErrorCode
>;

function stepFailed(
  action: "install" | "build",
  command: string,
  plan: PluginPlan,
  result: ExecResult,
): PthError {
  const output = result.stdout + result.stderr;
  const unknown = action === "install" && plan.source.startsWith("npm:") ? unknownPackage(output) : undefined;
  if (unknown !== undefined) {
    return new PthError("TARGET_NOT_FOUND", `Cannot find ${plan.source}: ${unknown}`, {
      output,
      tried: [command],
      next: ["See how the package and its version are spelled, and that the registry is the right one"],
    });
  }
  const ending = result.code === null ? `ended by ${result.signal}` : `exited with ${result.code}`;
  const last = telling(output);
  const unreached = networkWords.test(output);
  const code = unreached ? "NETWORK_UNAVAILABLE" : codes[action];
  return new PthError(code, `Cannot ${action} plugin: ${ending}${last === "" ? "" : `: ${last}`}`, {
    output,
    ...(unreached ? { transient: true } : {}),
    tried: [`${command} (in ${plan.folder})`],
    buildSystem: plan.build?.system,
    evidence: plan.build?.evidence,
    // The table of recovery names the call.
    next: [
      ...hintsFor(output, result.code),
      { terminal: `Give another command: --${action} "<command>" ("" for none)` },
    ],
  });
}

/** npm's words for a package or version that nobody published. */
function unknownPackage(output: string): string | undefined {
  if (!/npm (?:error|ERR!) code (E404|ETARGET)/.test(output)) return undefined;
  const words = output.split("\n").map((line) =>
    line.replace(/^npm (?:error|ERR!)\s?(?:404|notarget)?\s*/, "").trim()
  );
  return words.find((line) => /^(Not Found|No matching version)/.test(line)) ??
    "the registry knows no such package or version";
}

/** The line that says most: the first that speaks of an error, else the last. */
function telling(output: string): string {
  // npm repeats a script behind "> " before it runs it: no word of the script's own.
  const lines = output.split("\n").map((line) => line.trim()).filter((line) => !/^$|^> /.test(line));
  const error = lines.find((line) =>
    /\berror\b[^s]|\w*Error:/i.test(line) && !/npm (?:error|ERR!) code/.test(line)
  );
  return (error ?? lines.at(-1) ?? "").slice(0, 300);
}

const hints: [RegExp, NextStep][] = [
  [
    networkWords,
    "No registry was reached: check the environment's network and proxy settings",
  ],
  [/ERESOLVE/, {
    terminal: 'Peer dependencies conflict: --install "npm install --legacy-peer-deps"',
    mcp: 'Peer dependencies conflict: pth_load_plugin({ install: "npm install --legacy-peer-deps" })',
  }],
  [
    /EUNSUPPORTEDPROTOCOL|workspace:/,
    {
      terminal: 'The project needs another package manager: --install "corepack pnpm install"',
      mcp: 'The project needs another package manager: pth_load_plugin({ install: "corepack pnpm install" })',
    },
  ],
  [/ENOSPC|no space left/i, "The environment's disk is full: give it more (resources.diskGB)"],
  [/EACCES|Permission denied/i, "A file cannot be written: see who owns the files of the plugin"],
  [
    /CERT_|certificate|SELF_SIGNED/i,
    "A certificate was not trusted: set NODE_EXTRA_CA_CERTS or PIP_CERT on the host",
  ],
];

const hintsFor = (output: string, code: number | null): NextStep[] => [
  ...(code === 127
    ? [{
      terminal: "A program is missing in the environment: choose an image that has it (--image)",
      mcp: "A program is missing in the environment: choose an image that has it (baseImage)",
    }]
    : []),
  ...(code === 137 ? ["It was killed, perhaps for want of memory: give more (resources.memoryMB)"] : []),
  ...hints.filter(([pattern]) => pattern.test(output)).map(([, hint]) => hint),
];
