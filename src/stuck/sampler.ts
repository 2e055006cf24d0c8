import type { ProcessSample } from "../../machines/model/stuck.ts";
import { PthError } from "../core/errors.ts";
import { isObject, jsonIn } from "../core/values.ts";
import { withDeadline } from "../core/waiting.ts";
import { assetText } from "../platform/asset_text.ts";
import { createLineSplitter } from "../platform/line_splitter.ts";
import { readSample } from "./read_sample.ts";
import type { SamplerAccess } from "./sampler_access.ts";

/** Program that samples one process tree, where that runs. */
export interface Sampler {
  /** Takes the next sample, one at a time. @throws {PthError} `UNSUPPORTED` once the program has ended or says nothing */
  sample(): Promise<ProcessSample>;
  /** Ends the program; one that has ended is no error. */
  close(): Promise<void>;
}

/** In bytes; a sample of the most threads takes a quarter of it. */
const longestLine = 1024 * 1024;
/** In ms. */
const longestStart = 15_000;
const longestSample = 10_000;

const notWatched = (reason: string) =>
  new PthError("UNSUPPORTED", `Cannot watch the processes: ${reason}`, {
    reason,
    next: [
      "Install Node 20 or later where the tests run; until then the time limit alone ends what is stuck",
    ],
  });

/**
 * Starts the sampler where the processes are.
 * @param pid Root of the tree, as the place numbers it
 * @throws {PthError} `UNSUPPORTED` where it cannot run: neither Node nor Deno, no /proc, a machine that it does not know
 */
export async function startSampler(access: SamplerAccess, pid: number): Promise<Sampler> {
  const child = await access.spawn(["sh", "-c", assetText("stuck/start.sh")], {
    env: {
      PTH_STUCK_PID: String(pid),
      PTH_STUCK_PROGRAM: `${assetText("stuck/proc.mjs")}${assetText("stuck/sampler.mjs")}`,
    },
  });
  let broken: string | undefined;
  let asked: ((line: string | undefined) => void) | undefined;
  const answer = (line: string | undefined) => {
    const take = asked;
    asked = undefined;
    take?.(line);
  };
  const fail = (reason: string) => {
    broken ??= reason;
    answer(undefined);
  };
  const lines = createLineSplitter({
    maxBytes: longestLine,
    onLine: answer,
    onOverlong: () => fail("its sampler answers without end"),
  });
  child.stdout.on("data", (chunk: Uint8Array) => lines.push(chunk));
  child.stderr.resume();
  child.stdin.on("error", () => fail("its sampler has ended"));
  void child.exited.then(() => fail("its sampler has ended"));

  const next = async (limitMs: number, ask?: () => void): Promise<unknown> => {
    if (broken !== undefined) throw notWatched(broken);
    const line = new Promise<string | undefined>((resolve) => asked = resolve);
    ask?.();
    if (!await withDeadline(line, limitMs)) fail("its sampler does not answer");
    const text = await line;
    if (text === undefined) throw notWatched(broken ?? "its sampler has ended");
    return jsonIn(text);
  };
  const close = async () => {
    broken ??= "its sampler was closed";
    child.stdin.end();
    await child.kill("SIGKILL");
    await child.exited;
  };
  try {
    const first = await next(longestStart);
    if (!isObject(first) || first["ready"] !== true) {
      const reason = isObject(first) ? first["unavailable"] : undefined;
      throw notWatched(typeof reason === "string" ? reason.slice(0, 200) : "its sampler does not start");
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    close,
    async sample() {
      const sample = readSample(await next(longestSample, () => child.stdin.write("\n")));
      if (sample !== undefined) return sample;
      fail("its sampler answers with something else than samples");
      throw notWatched(broken!);
    },
  };
}
