/** A harness for the length of one command; the session always ends, however the command does. */
import type { EndReport, Harness } from "../api/harness.ts";
import { createLiveLine } from "../testing/reporters/spec/live_line.ts";
import { count, formatDuration } from "../core/text.ts";
import type { CommandContext } from "./command.ts";
import { type Interruption, listenForInterrupts } from "./listen_for_interrupts.ts";
import { definedOnly } from "../core/values.ts";

interface HarnessOptions {
  /** `run`, `iterate`, …: what announces itself to `pth viz`; without it nobody can watch. */
  command?: string;
  /** Name of the target for people. */
  name?: string;
  recordFile?: string;
  stately?: string;
  /** Leave environment and worktree. */
  keep: boolean;
  /** True: also write the text of a pull request. */
  pullRequest?: boolean;
  /** Text for stdout after the session's end, in whole lines. Absent: leftovers are listed on stderr. */
  describeEnd?: (ended: EndReport) => string;
}

/**
 * Makes the harness, does the work, ends the session and says what stayed.
 * @param work `leave` begins the end of the session, which work that needs it no more goes on beside
 */
export async function withHarness<T>(
  options: HarnessOptions,
  context: CommandContext,
  work: (harness: Harness, interruption: Interruption, leave: () => void) => Promise<T>,
): Promise<T> {
  const interruption = listenForInterrupts(context);
  try {
    const { command, name, recordFile, stately } = options;
    const announce = command === undefined ? undefined : definedOnly({ command, target: name || undefined });
    const harness = await context.createHarness(definedOnly({ announce, recordFile, stately }));
    let ending: Promise<EndReport> | undefined;
    const leave = () => {
      const keep = options.keep && interruption.exitCode() === undefined;
      ending ??= harness.endSession({ keep, ...(options.pullRequest ? { pullRequest: true } : {}) });
      ending.catch(() => {}); // told below
      return ending;
    };
    try {
      return await work(harness, interruption, leave);
    } finally {
      await end(harness, leave(), options, context);
    }
  } finally {
    interruption.stop();
  }
}

/** Shows in a terminal that it is still at work: removing an environment may take seconds. */
async function end(
  harness: Harness,
  ending: Promise<EndReport>,
  { describeEnd: describe }: HarnessOptions,
  { stdout, stderr }: CommandContext,
): Promise<void> {
  const live = createLiveLine(stderr);
  const started = performance.now();
  live.show(() => `cleaning up  ${formatDuration(Math.max(100, performance.now() - started))}`);
  try {
    const ended = await ending;
    if (describe === undefined) live.print(describeEnd(ended));
    else {
      live.show(undefined);
      stdout.write(describe(ended));
    }
    await harness.close();
  } finally {
    live.show(undefined);
  }
}

/** Lists what the session left behind; usually nothing. */
function describeEnd({ branch, branchKept, commits, ...rest }: EndReport): string {
  const lines = [
    ...leftovers(rest),
    ...(branchKept && branch !== undefined && commits > 0
      ? [`Branch ${branch} holds ${count(commits, "commit")}`]
      : []),
  ];
  return lines.map((line) => line + "\n").join("");
}

/** Lines on what was left, meant or not. */
export const leftovers = ({ kept, leftBehind }: Pick<EndReport, "kept" | "leftBehind">): string[] => [
  ...(kept.length === 0 ? [] : ["Kept (pth clean --all removes it):", ...kept.map((thing) => `  ${thing}`)]),
  ...(leftBehind.length === 0 ? [] : ["Could not remove:", ...leftBehind.map((thing) => `  ${thing}`)]),
];
