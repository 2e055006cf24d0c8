/** The way to a container engine: Docker's API over its socket, which Podman speaks too. */
import { join } from "node:path";
import type Docker from "dockerode";
import { type ErrorCode, PthError } from "../../core/errors.ts";
import { isNoSpace, pathExists } from "../../platform/files.ts";
import { readEnv } from "../../platform/host.ts";
import { guardCalls, logCalls } from "./guard_calls.ts";
import type { NextStep } from "../../core/next_step.ts";

export type Engine = Docker;

/**
 * Time that an engine may take to answer a ping, in ms, longer for one of another machine;
 * `PTH_ENGINE_TIMEOUT` (seconds) overrides it.
 */
export function answerWithin(): number {
  const asked = Number(readEnv("PTH_ENGINE_TIMEOUT"));
  if (Number.isFinite(asked) && asked > 0) return Math.min(asked, longestAnswer) * 1000;
  return /^(?:tcp|https?|ssh):/.test(readEnv("DOCKER_HOST") ?? "") ? 10_000 : 2000;
}
/** In seconds. */
const longestAnswer = 600;

const howToStart = [
  "Install and start one: scripts/setup-host.sh",
  "Or name another engine: DOCKER_HOST=unix:///path/to.sock",
  {
    terminal: "Or use an environment without one: --env sandbox",
    mcp: 'Or use an environment without one: pth_provision_environment({ runtime: "sandbox" })',
  },
];

const howToWaitLonger = "If it is only slow, give it more time: PTH_ENGINE_TIMEOUT=30 (seconds)";

const howToGetAccess = "Get access to its socket: sudo usermod -aG docker $USER, then log in again";

/**
 * A client of the engine that `DOCKER_HOST` names, else of the first socket found. Connects lazily.
 * @throws {PthError} `RUNTIME_UNAVAILABLE` where `DOCKER_HOST` is not an address
 */
export async function connectEngine(): Promise<Engine> {
  try {
    // Only here: loading it takes a tenth of the time of a short run.
    const { default: Client } = await import("dockerode");
    const options = readEnv("DOCKER_HOST") ? undefined : { socketPath: await findSocket() };
    return logCalls(guardCalls(new Client(options)));
  } catch (cause) {
    throw new PthError("RUNTIME_UNAVAILABLE", `Cannot use the engine: ${engineMessage(cause)}`, {
      next: howToStart,
    }, { cause });
  }
}

const defaultSocket = "/var/run/docker.sock";

async function findSocket(): Promise<string> {
  const runtimeDir = readEnv("XDG_RUNTIME_DIR");
  const home = readEnv("HOME");
  const others = [
    ...(runtimeDir ? [join(runtimeDir, "docker.sock")] : []),
    ...(home ? [join(home, ".docker/run/docker.sock")] : []),
    ...(runtimeDir ? [join(runtimeDir, "podman/podman.sock")] : []),
    "/run/podman/podman.sock",
  ];
  for (const socket of [defaultSocket, ...others]) {
    if (await pathExists(socket).catch(() => false)) return socket;
  }
  return defaultSocket;
}

/** Address at which this process looks for its engine. */
export const engineAddress = (): string => readEnv("DOCKER_HOST") ?? `unix://${defaultSocket}`;

/**
 * Asks the engine for a sign of life.
 * @throws {PthError} `RUNTIME_UNAVAILABLE`
 */
export async function requireEngine(engine: Engine): Promise<void> {
  try {
    // The client takes options here, its types do not say so.
    const version = engine.version as (
      options: { abortSignal: AbortSignal },
    ) => Promise<{ Version?: string }>;
    const late = AbortSignal.timeout(answerWithin());
    // On a connection that was used before, the client does not always notice the signal.
    const silence = new Promise<never>((_resolve, reject) =>
      late.addEventListener("abort", () => reject(late.reason), { once: true })
    );
    const { Version } = await Promise.race([version.call(engine, { abortSignal: late }), silence]);
    engineAnswered(Version);
  } catch (error) {
    throw engineError(error, "Cannot reach the container engine", "RUNTIME_UNAVAILABLE");
  }
}

let lastSeen: { at: string; version: string | undefined } | undefined;

/** Remembers that the engine lived just now, for the time when it does not answer any more. */
export function engineAnswered(version: string | undefined = lastSeen?.version): void {
  lastSeen = { at: new Date().toISOString(), version };
}

const lastKnown = (): string =>
  lastSeen === undefined
    ? "it has not answered this process yet"
    : `answered at ${lastSeen.at}${lastSeen.version === undefined ? "" : `, version ${lastSeen.version}`}`;

/** Time for which an answer of an engine stands, so that it is not asked again, in ms. */
const freshFor = 1000;

/** An engine that hangs would let the next request wait for ever. @throws {PthError} `RUNTIME_UNAVAILABLE` */
export async function requireRecentEngine(engine: Engine): Promise<void> {
  if (lastSeen === undefined || Date.now() - Date.parse(lastSeen.at) > freshFor) await requireEngine(engine);
}

interface ApiError {
  message: string;
  statusCode?: number;
  code?: string;
  name?: string;
  json?: { message?: string };
}

/** HTTP status of an engine's refusal, or undefined. */
export const engineStatusCode = (error: unknown): number | undefined =>
  (error as ApiError | null)?.statusCode;

/** Resolves to undefined where the engine knows no such thing; so removing what is absent is no error. */
export async function undefinedIfMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (engineStatusCode(error) !== 404) throw error;
    return undefined;
  }
}

/** Extracts the engine's own message, without the client's frame around it. */
export const engineMessage = (error: unknown): string => {
  const api = error as ApiError | null;
  const message = api?.json?.message ?? api?.message ?? String(error);
  return message.replace(/^\(HTTP code \d+\) .*? - /, "").trim();
};

const unreachable = ["ECONNREFUSED", "ENOENT", "EACCES", "ENOTFOUND", "EHOSTUNREACH", "ETIMEDOUT", "EPERM"];
/** True if the engine went away during a request: whether it was carried out is not known. */
const cutShort = ["ECONNRESET", "EPIPE"];

/**
 * A failure of the engine as a PthError: by its meaning where that is known, else with the code given.
 * Errors that already are one, and aborts, pass through.
 */
export function engineError(error: unknown, action: string, otherwise: ErrorCode): unknown {
  if (error instanceof PthError) return error;
  const message = engineMessage(error);
  const make = (code: ErrorCode, state: string, next: NextStep[], facts: Record<string, unknown> = {}) =>
    new PthError(code, `${action}: ${state}`, { output: message, ...facts, next }, { cause: error });
  const api = error as ApiError;
  if (isUnreachable(api)) {
    const late = api.name === "TimeoutError" || api.name === "AbortError";
    const how = late ? `none within ${answerWithin() / 1000} s` : api.code ?? api.name ?? message;
    const state = `no engine answers at ${engineAddress()} (${how})`;
    const forbidden = api.code === "EACCES" || api.code === "EPERM";
    const facts = {
      address: engineAddress(),
      lastKnown: lastKnown(),
      // One that has never been there does not come by waiting; one that restarts has no socket for a while.
      transient: !forbidden && !cutShort.includes(api.code ?? "") &&
        (lastSeen !== undefined || api.code !== "ENOENT"),
    };
    const first = forbidden ? [howToGetAccess] : late ? [howToWaitLonger] : [];
    return make("RUNTIME_UNAVAILABLE", state, [...first, ...howToStart], facts);
  }
  if (isNoSpace(message)) {
    return make("DISK_FULL", "the engine's disk is full", [
      "Make room: docker system df",
      "Remove what dead sessions left: pth clean",
    ]);
  }
  if (/no such image/i.test(message)) {
    return make("IMAGE_MISSING", message, [{
      terminal: "See what there is: pth images list",
      mcp: "See what there is: pth_preflight({})",
    }]);
  }
  if (isLost(api, message)) return make("ENVIRONMENT_LOST", message, ["Provision it again"]);
  return make(otherwise, message, []);
}

function isUnreachable(error: ApiError): boolean {
  if (error.name === "TimeoutError" || error.name === "AbortError") return true;
  return error.statusCode === undefined && [...unreachable, ...cutShort].includes(error.code ?? "");
}

const isLost = (error: ApiError, message: string): boolean =>
  /no such (container|exec)|is not running|stopped container/i.test(message) &&
  (error.statusCode === 404 || error.statusCode === 409 || error.statusCode === 500);

/** Connects and checks that an engine answers. @throws {PthError} `RUNTIME_UNAVAILABLE` */
export async function reachEngine(): Promise<Engine> {
  const engine = await connectEngine();
  await requireEngine(engine);
  return engine;
}

/** Connects to the engine; resolves to the error where none answers. */
export async function engineOrError(): Promise<Engine | PthError> {
  try {
    return await reachEngine();
  } catch (error) {
    if (error instanceof PthError) return error;
    throw error;
  }
}
