import type { ThreadStack } from "../../../machines/model/stuck.ts";
import type { SamplerAccess } from "../sampler_access.ts";
import { attachFailure, defineStackWay, runWay } from "./stack_way.ts";

/** Java's own stacks, with the monitors that each thread holds and waits for, and the deadlocks that the VM itself finds. */
export const javaStacks = defineStackWay({
  name: "jstack",
  fits: ({ process: { runtime } }) => runtime === "java",
  async capture(access, { process: { pid } }, signal) {
    const { stdout, stderr } = await runWay(["jstack", "-l", String(pid)], { access, signal });
    const report = /^Found one Java-level deadlock:/m.exec(stdout);
    const threads = readThreads(report === null ? stdout : stdout.slice(0, report.index), pid);
    if (threads.length === 0) throw attachFailure(stderr, "jstack");
    if (report === null) return { threads, refuted: true };
    const cycle = [...stdout.slice(report.index).matchAll(/^"(.+)":$/gm)].map(([, name]) => name!);
    return { threads, cycle: [...new Set(cycle)] };
  },
});

/** Functions of the JDK, of languages, and of what runs tests, whose files are none of the project's. */
const ofOthers =
  /^(?:javax?|jdk|sun|com\.sun|com\.esotericsoftware|kotlinx?|scala|groovy|junit\.framework|worker\.org\.gradle|org\.(?:junit|apache\.maven|gradle|codehaus|testng))\./;
/** Cleaners and the handler of references have nothing to do while nothing is allocated. */
const idleFrames =
  /^\s+at (?:java\.base(?:@[^/]*)?\/)?(?:jdk\.internal\.ref\.CleanerImpl\.run|java\.lang\.ref\.Reference\.)/m;

/** Tells whether another thread of Java may go on by itself: it runs, or waits for a time. */
export async function mayOthersGoOn(
  access: SamplerAccess,
  { pid, tid }: { pid: number; tid: number },
  signal: AbortSignal,
): Promise<boolean> {
  const { stdout, stderr } = await runWay(["jstack", String(pid)], { access, signal });
  const parts = stdout.split(/^(?=")/m).filter((part) => /^".+" .*\bnid=/.test(part));
  if (parts.length === 0) throw attachFailure(stderr, "jstack");
  return parts.some((part) => {
    const number = Number(/\bnid=(0x[0-9a-f]+|\d+)/.exec(part)?.[1]);
    return number !== tid && /^\s+at /m.test(part) && !idleFrames.test(part) &&
      !/^\s+java\.lang\.Thread\.State: (?:WAITING|BLOCKED)/m.test(part);
  });
}

function readThreads(text: string, pid: number): ThreadStack[] {
  const threads: ThreadStack[] = [];
  for (const line of text.split("\n")) {
    const head = /^"(.+)" .*\bnid=(0x[0-9a-f]+|\d+)/.exec(line);
    const last = threads.at(-1);
    if (head) threads.push({ pid, tid: Number(head[2]), name: head[1]!, frames: [] });
    if (head || last === undefined) continue;
    const frame = /^\s+at (.+?)\((?:(.+?):(\d+)|.*)\)$/.exec(line);
    if (frame) {
      const [, name, file, number] = frame;
      const place = file === undefined || ofOthers.test(name!) ? {} : { file, line: Number(number) };
      last.frames.push({ function: name!, ...place });
    }
    const monitor = /^\s+- (locked|waiting to lock|parking to wait for) +<(0x[0-9a-f]+)>/.exec(line);
    const lock = monitor?.[2];
    if (lock === undefined) continue;
    if (monitor![1] !== "locked") last.waitsFor = { lock };
    else (last.holds ??= []).push({ lock, at: placeOf(last), certain: true });
  }
  return threads.filter(({ frames }) => frames.length > 0);
}

function placeOf({ frames }: ThreadStack): string {
  const frame = frames.at(-1);
  return frame?.file === undefined ? "" : `${frame.file}:${frame.line}`;
}
