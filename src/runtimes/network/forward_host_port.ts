/** Ports of the host on an environment's loopback, carried by a process inside: no network is needed. */
import { setTimeout as later } from "node:timers/promises";
import { PthError } from "../../core/errors.ts";
import { abortSentinel, raceAbort } from "../../core/waiting.ts";
import { assetText } from "../../platform/asset_text.ts";
import { collect } from "../../platform/process.ts";
import { tryConnect } from "../../platform/sockets.ts";
import type { EnvironmentProcess, HostForward } from "../runtime.ts";
import { carryConnections, relayLimits } from "./carry_connections.ts";

/** Time that the process inside may take to listen, in ms: Node starts slowly on an emulated machine. */
const startMs = 60_000;
/** Time that the service may take to accept a connection, in ms. */
const acceptMs = 10_000;
/** Time that the process inside may take to end by itself, in ms. */
const endMs = 2000;

/** An environment that has the host's loopback. */
export const sharedHostPort = (port: number): HostForward => ({
  port,
  lost: new Promise(() => {}),
  close: () => Promise.resolve(),
});

/**
 * @param spawn Starts a process in the environment.
 * @throws {PthError} `UNSUPPORTED` where it has no Node.js, `EXEC_FAILED`
 */
export async function forwardHostPort(
  spawn: (command: readonly string[]) => Promise<EnvironmentProcess>,
  hostPort: number,
  signal?: AbortSignal,
): Promise<HostForward> {
  signal?.throwIfAborted();
  const { window, places, queue } = relayLimits;
  const script = assetText("relay/host_port.cjs");
  const child = await spawn([
    "node",
    "-e",
    script,
    String(window),
    String(places),
    String(queue),
    String(hostPort),
  ]);
  const complaints = collect(child.stderr, 4096);
  let broken: string | undefined;
  let closed = false;
  let listening: (port: number) => void = () => {};
  const listens = new Promise<number>((resolve) => listening = resolve);
  const kill = () => void child.kill("SIGKILL").catch(() => {}); // an environment that is gone needs no kill
  const dropAll = carryConnections({
    stdin: child.stdin,
    stdout: child.stdout,
    connect: () => tryConnect("127.0.0.1", hostPort, acceptMs),
    onListening: listening,
    onBroken(reason) {
      broken = reason;
      kill();
    },
  });
  const ended = child.exited.then((status) => {
    dropAll();
    return status;
  });
  const close = async () => {
    closed = true;
    dropAll();
    child.stdin.end();
    if (await Promise.race([ended.then(() => true), later(endMs, false, { ref: false })])) return;
    kill();
    await ended;
  };
  const failed = ended.then(({ code, signal }) => ({ code, reason: `it ended with ${signal ?? code}` }));
  const first = await raceAbort(
    Promise.race([listens, failed, later(startMs, undefined, { ref: false })]),
    signal,
  );
  if (typeof first === "number") {
    return {
      port: first,
      lost: new Promise((resolve) => {
        void failed.then(({ reason }) => closed || resolve(lost(hostPort, broken ?? reason)));
      }),
      close,
    };
  }
  await close();
  signal?.throwIfAborted();
  throw first === undefined || first === abortSentinel
    ? cannot(hostPort, `the relay inside does not listen within ${startMs / 1000} s`)
    : notStarted(hostPort, first, broken, complaints.text().trim());
}

const cannot = (port: number, why: string, output?: string): PthError =>
  new PthError("EXEC_FAILED", `Cannot lead port ${port} of this machine into the environment: ${why}`, {
    ...(output === undefined ? {} : { output }),
  });

function notStarted(
  port: number,
  { code, reason }: { code: number | null; reason: string },
  broken: string | undefined,
  output: string,
): PthError {
  if (code !== 127 && code !== 126) return cannot(port, broken ?? reason, output);
  return new PthError(
    "UNSUPPORTED",
    `Cannot lead port ${port} of this machine into the environment: there is no Node.js inside, which relays connections`,
    { output, next: ["Use an image with Node: each base image of PTH has it"] },
  );
}

const lost = (port: number, why: string): PthError =>
  new PthError(
    "ENVIRONMENT_LOST",
    `Cannot reach port ${port} of this machine from the environment any more: its relay inside was lost (${why})`,
  );
