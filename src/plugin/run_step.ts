/** One command of an install or a build, run inside the environment, and the error that it may end in. */
import type { PluginPlan } from "../../machines/model/plugin.ts";
import { type ErrorCode, PthError } from "../core/errors.ts";
import type { EnvironmentAccess } from "./environment_access.ts";
import { knownFailure, networkWords } from "./known_failure.ts";
import { watchInstall } from "./watch_install.ts";
import type { NextStep } from "../core/next_step.ts";
import type { TreeAccess } from "./installed_trees/tree_access.ts";
import type { ExecResult } from "../../machines/model/environment_operations.ts";

/** Most hosts that are tried. */
const mostHosts = 3;

const testWithin = 20_000;

/** POSIX sh; arguments are `host:port`. Without any, npm's registry is tried. */
const script = `
[ $# -gt 0 ] || set -- $(npm config get registry 2>/dev/null | sed -n 's,^\\(https\\{0\\,1\\}\\)://\\([^/:]*\\):\\{0\\,1\\}\\([0-9]*\\).*,\\1 \\2 \\3,p' |
  while read -r scheme host port; do [ "$scheme" = http ] && echo "$host:\${port:-80}" || echo "$host:\${port:-443}"; done)
for target in "$@"; do
  host=\${target%:*}; port=\${target##*:}
  printf '%s: ' "$target"
  if command -v getent >/dev/null && ! getent hosts "$host" >/dev/null; then echo 'the name is not resolved'; continue; fi
  if command -v node >/dev/null; then
    node -e 'const s=require("net").connect({host:process.argv[1],port:+process.argv[2]});s.setTimeout(3000,()=>{console.log("no answer within 3 s");process.exit()});s.on("connect",()=>{console.log("reached");process.exit()});s.on("error",e=>console.log(e.code||e.message))' "$host" "$port"
  elif command -v python3 >/dev/null; then
    python3 -c 'import socket,sys
try: socket.create_connection((sys.argv[1],int(sys.argv[2])),3); print("reached")
except Exception as e: print(e)' "$host" "$port"
  else echo 'not tried: neither node nor python3 is there'; fi
done
printf 'name servers: '; sed -n 's/^nameserver *//p' /etc/resolv.conf 2>/dev/null | tr '\\n' ' '; echo
printf 'default route: '; awk '$2 == "00000000" { print $1; found = 1 } END { if (!found) print "none" }' /proc/net/route 2>/dev/null || echo unknown
printf 'proxy: '; [ -n "$HTTPS_PROXY$https_proxy$HTTP_PROXY$http_proxy" ] && echo set || echo none
true`;

/** Lines of the test: each host that the output names, name servers, route, proxy. */
export async function connectivity(env: EnvironmentAccess, output: string): Promise<string> {
  const hosts = hostsIn(output).slice(0, mostHosts);
  const { stdout, stderr } = await env.exec(["sh", "-c", script, "sh", ...hosts], {
    cwd: "/",
    signal: AbortSignal.timeout(testWithin),
  });
  return `${stdout}${stderr}`.trim();
}

/** `host:port` of whatever an installer could not reach. */
export function hostsIn(output: string): string[] {
  const found = new Set<string>();
  for (
    const [, scheme, host, port] of output.matchAll(/\b(https?):\/\/(?:[^@\s/]*@)?([\w.-]+)(?::(\d+))?/g)
  ) {
    found.add(`${host}:${port ?? (scheme === "http" ? "80" : "443")}`);
  }
  for (const [, host, port] of output.matchAll(/\bECONNREFUSED ([\w.:-]+):(\d+)/g)) {
    found.add(`${host}:${port}`);
  }
  for (const [, host] of output.matchAll(/\b(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/g)) {
    if (![...found].some((known) => known.startsWith(`${host}:`))) found.add(`${host}:443`);
  }
  return [...found];
}

export interface LoadStepOptions {
  /** Variables for the commands, for example a registry's token that `.npmrc` refers to. */
  variables?: Record<string, string>;
  /** Words that the user put behind the server's command. */
  args?: string[];
  onOutput?: (text: string, stream: "stdout" | "stderr") => void;
  signal?: AbortSignal;
  /** Takes secrets out of output before a part of it is cut out. */
  hide?: (text: string) => string;
  /** Trees of earlier installs; without it each install is made anew. */
  trees?: TreeAccess;
}

export interface LoadReport {
  /** The plan, with what is known by now. */
  plan: PluginPlan;
  output: string;
  durationMs: number;
  /** Reason why nothing was done. */
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
  const watch = onOutput !== undefined && /\bnpm (?:install|ci|i)\b/.test(command)
    ? watchInstall(env, { folder: plan.folder, tell: (text) => onOutput(`${text}\n`, "stdout") })
    : undefined;
  try {
    const result = await env.exec(["sh", "-c", command], {
      cwd: plan.folder,
      env: { ...quietNpm, ...variables },
      ...(onOutput === undefined ? {} : {
        onOutput: (text: string, stream: "stdout" | "stderr") => {
          watch?.heard();
          onOutput(text, stream);
        },
      }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (result.code === 0) return result.stdout + result.stderr;
    const told = { ...result, stdout: hide(result.stdout), stderr: hide(result.stderr) };
    throw stepFailed(action, command, plan, told);
  } finally {
    watch?.stop();
  }
}

/**
 * npm's hints at a newer npm, and at a log file that goes with the environment, would bury what matters. A registry that
 * is not reached is told soon: PTH itself retries, and reports it.
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
  const known = knownFailure(output);
  const last = known === undefined ? telling(output) : known.cause;
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
      ...hintsFor(known?.next ?? [], result.code),
      { terminal: `Give another command: --${action} "<command>" ("" for none)` },
    ],
  });
}

/** Package or version that npm reports as not published. */
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

const hintsFor = (known: readonly NextStep[], code: number | null): NextStep[] => [
  ...(code === 127 && known.length === 0
    ? [{
      terminal: "A program is missing in the environment: choose an image that has it (--image)",
      mcp: "A program is missing in the environment: choose an image that has it (baseImage)",
    }]
    : []),
  ...(code === 137 ? ["It was killed, perhaps for want of memory: give more (resources.memoryMB)"] : []),
  ...known,
];
