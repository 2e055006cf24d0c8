import { extname } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import t from "tap";
import { isDeno } from "../../../src/platform/host.ts";
import { type ExitStatus, spawnProcess } from "../../../src/platform/process.ts";

const program = fileURLToPath(
  new URL(`./watched_process${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
);

interface Ended extends ExitStatus {
  afterMs: number;
  output: string;
}

/** Starts a process that does `what`, signals it once it is up, and waits for its end. */
async function signalled(what: string, signal: NodeJS.Signals): Promise<Ended> {
  const child = await spawnProcess([process.execPath, ...isDeno ? ["run", "-A"] : [], program, what]);
  let output = "";
  const up = new Promise<void>((resolve) => {
    const hear = (chunk: Uint8Array) => {
      output += new TextDecoder().decode(chunk);
      if (output.includes("up")) resolve();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
  });
  await up;
  // The loop is held up only after it has said so.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const started = performance.now();
  child.kill(signal);
  const status = await child.exited;
  return { ...status, output, afterMs: performance.now() - started };
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  t.test(`a process that is held up ends by ${signal} within some 2 s, and says so`, async (t) => {
    const { signal: by, output, afterMs } = await signalled("held up", signal);
    t.equal(by, "SIGKILL");
    t.match(output, `could not answer ${signal}: it is ended by force. pth clean`);
    t.notMatch(output, "heard");
    t.ok(afterMs > 1_000 && afterMs < 10_000, `after ${afterMs} ms`);
  });
}

t.test("a clean end that takes longer than the limit is left alone", async (t) => {
  const { code, output, afterMs } = await signalled("slow end", "SIGINT");
  t.equal(code, 130);
  t.match(output, "heard");
  t.notMatch(output, "by force");
  t.ok(afterMs >= 2_900);
});

t.test("where nothing listens any more, a signal ends the process by itself", async (t) => {
  const { signal, afterMs } = await signalled("no listener", "SIGTERM");
  t.equal(signal, "SIGTERM");
  t.ok(afterMs < 1_500);
});
