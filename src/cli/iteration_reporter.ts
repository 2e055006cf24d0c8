/** Follows the loop on a terminal or in a pipe: the steps as they go, and the design's blocks. */
import pc from "picocolors";
import type { Convergence, IterationRecord, TestStatusSummary } from "../../machines/model/iteration.ts";
import type { PublishedEvent } from "../api/harness.ts";
import {
  convergenceText,
  fixText,
  iterationReloadText,
  refusedText,
  testingText,
} from "../fixers/iteration_texts.ts";
import type { TextOutput } from "../platform/terminal.ts";
import { dispatch } from "../testing/reporter.ts";
import { createProgress } from "../testing/reporters/spec/spec_progress.ts";

interface IterationReporter {
  follow(fact: PublishedEvent): void;
  /** Takes the live line away. */
  stop(): void;
}

/** @param standing how the tests stand right now, where that is known */
export function createIterationReporter(
  output: TextOutput,
  standing: () => TestStatusSummary | undefined,
): IterationReporter {
  const progress = createProgress(output);
  const paint = createPainter(output.colour);
  const say = (text: string) => progress.live.print(`\n${paint(text)}\n\n`);
  let iteration = 0;
  /** Latest finished iteration, printed once the next one begins. */
  let untold: { convergence: Convergence; record: IterationRecord } | undefined;
  let begun = false;
  let latest: IterationRecord | undefined;

  function tell(fact: PublishedEvent): void {
    if (fact.type === "iteration.phase") {
      iteration = fact.iteration;
      if (untold && iteration > untold.record.number) {
        say(convergenceText(untold.convergence, untold.record.number));
        untold = undefined;
      }
      if (fact.phase === "diagnosing" && !begun) {
        const first = standing();
        begun = first !== undefined;
        if (first) say(testingText(iteration, first));
      }
    } else if (fact.type === "fix.committed") say(fixText(fact.iteration, fact.fix));
    else if (fact.type === "fix.refused") say(refusedText(fact.iteration, fact.title, fact.reason));
    else if (fact.type === "plugin.reloaded") say(iterationReloadText(iteration, fact.reload));
    else if (fact.type === "iteration.recorded") {
      const { record, convergence } = fact;
      begun = true;
      untold = { convergence, record };
      // On another distribution the tests begin anew.
      const anew = latest !== undefined && latest.distro !== record.distro;
      const earlier = {
        passed: record.before.passed,
        total: record.before.total,
        iteration: anew ? 0 : record.number - 1,
      };
      latest = record;
      say(testingText(record.number, record.after, earlier, record.distro));
    }
  }

  return {
    follow(fact) {
      dispatch(progress.hooks, fact);
      tell(fact);
    },
    stop: () => progress.live.show(undefined),
  };
}

/** Colours for the blocks: headings stand out, arrows and words show the way. */
export function createPainter(colour: boolean): (text: string) => string {
  if (!colour) return (text) => text;
  const { bold, green, red, yellow, dim } = pc.createColors(true);
  return (text) =>
    text
      .replaceAll(/^(── )(.+?)( ─+)$/gm, (_, before, title, after) => dim(before) + bold(title) + dim(after))
      .replaceAll(/↑\d+/g, (figure) => green(figure))
      .replaceAll(/↓\d+/g, (figure) => red(figure))
      .replaceAll(/^(Status: )(All tests pass|No test fails|Improving)/gm, (_, label, word) =>
        label + green(word))
      .replaceAll(/^(Status: )(Possible plateau)/gm, (_, label, word) =>
        label + yellow(word))
      .replaceAll(/^(Status: )(Oscillating|Regressing)/gm, (_, label, word) => label + red(word));
}
