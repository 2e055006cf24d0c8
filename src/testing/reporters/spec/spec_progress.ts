/** Writes the progress of the spec reporter: a line per step, and what is running now. */
import type { ReporterHooks, ReporterOutput } from "../../reporter.ts";
import { count, formatDuration, plainLine } from "../../../core/text.ts";
import { createLiveLine, type LiveLine } from "./live_line.ts";
import { styleOf, type TerminalStyle } from "./terminal_style.ts";

interface SpecProgress {
  live: LiveLine;
  style: TerminalStyle;
  hooks: ReporterHooks;
}

interface Running {
  phase: string;
  message: string;
  since: number;
}

const evalWords = { passed: "passed", failed: "failed", refused: "not run" } as const;

/** Follows a run. In a terminal the last line moves; elsewhere each step is reported when it starts and when it ends. */
export function createProgress(
  output: ReporterOutput,
  now: () => number = () => performance.now(),
): SpecProgress {
  const live = createLiveLine(output);
  const style = styleOf(output);
  const running: Running[] = [];
  let suite: { total: number; finished: number; failed: number; since: number; current: string } | undefined;

  const say = (text: string) => live.print(text + "\n");
  const step = (mark: string, phase: string, rest: string) =>
    say(`${mark} ${style.bold(phase.padEnd(9))} ${style.fit(rest, Math.max(9, phase.length) + 3)}`);

  /** In seconds from the start: a moving line that begins with milliseconds flickers. */
  const elapsed = (since: number) => formatDuration(Math.max(100, now() - since));
  const describe = (): string | undefined => {
    const last = running.at(-1);
    if (last !== undefined) return `${last.phase.trimEnd()}  ${last.message}  ${elapsed(last.since)}`;
    if (suite === undefined) return undefined;
    const { finished, total, failed, current, since } = suite;
    const failures = failed === 0 ? "" : `, ${failed} failed`;
    return `suite ${finished}/${total}${failures}  ${elapsed(since)}  ${current}`;
  };
  const refresh = () => live.show(running.length === 0 && suite === undefined ? undefined : describe);
  const stop = (phase: string) => {
    const index = running.findLastIndex((entry) => entry.phase === phase);
    return index < 0 ? undefined : running.splice(index, 1)[0];
  };

  return {
    live,
    style,
    hooks: {
      "session.noted": ({ message }) => {
        const [first, ...rest] = style.lines(plainLine(message), 2);
        say([`${style.yellow("!")} ${first!.trimStart()}`, ...rest].join("\n"));
      },
      "step.started": ({ phase, message }) => {
        // The events of the tests themselves say more.
        if (phase === "suite") return;
        running.push({ phase, message: plainLine(message), since: now() });
        if (!output.isTerminal) step("·", phase, plainLine(message));
        refresh();
      },
      "step.output": ({ phase, text }) => {
        const entry = running.findLast((step) => step.phase === phase);
        const last = plainLine(text.trimEnd().split("\n").at(-1) ?? "");
        if (entry !== undefined && last !== "") entry.message = last;
      },
      "step.finished": ({ phase, message, durationMs }) => {
        stop(phase);
        if (phase !== "suite") {
          step(style.marks.passed, phase, `${plainLine(message)} (${formatDuration(durationMs)})`);
        }
        refresh();
      },
      "step.failed": ({ phase }) => {
        const entry = stop(phase);
        const took = entry === undefined ? "" : ` after ${formatDuration(now() - entry.since)}`;
        step(style.marks.failed, phase, `failed${took}`);
        refresh();
      },
      "suite.started": ({ tests, workers, workersReason, own = false }) => {
        // Of a matrix several go on side by side.
        suite = suite === undefined
          ? { total: tests.length, finished: 0, failed: 0, since: now(), current: "" }
          : { ...suite, total: suite.total + tests.length };
        const servers = workers === 1 ? "on 1 server" : `on up to ${workers} servers in parallel`;
        const head = own ? count(tests.length, "own test") : `${count(tests.length, "test")} ${servers}`;
        say(style.dim(style.lines(`${head}: ${plainLine(workersReason)}`, 2).join("\n")));
        refresh();
      },
      "test.started": ({ test }) => {
        if (suite !== undefined) suite.current = plainLine(test.name);
      },
      "project_test.finished": ({ test }) => {
        if (suite !== undefined) suite.current = plainLine(test.name);
      },
      "test.finished": ({ result }) => {
        if (suite === undefined) return;
        suite.finished++;
        if (result.status === "failed") suite.failed++;
      },
      "suite.finished": () => {
        suite = undefined;
        refresh();
      },
      "eval.finished": ({ name, run, runs, result: { status, problems }, done, total }) => {
        const mark = style.marks[status === "passed" ? "passed" : "failed"];
        const which = runs === 1 ? "" : `, run ${run} of ${runs}`;
        const why = status === "refused" ? `: ${problems.join("; ")}` : "";
        step(mark, "eval", plainLine(`${name}${which}: ${evalWords[status]}${why} (${done} of ${total})`));
      },
      end: () => {
        suite = undefined;
        running.splice(0);
        live.show(undefined);
      },
    },
  };
}
