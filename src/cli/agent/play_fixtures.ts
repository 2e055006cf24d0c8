/** Runs fixtures and tells of each test as it ends, and of all at the end. */
import type { AgentFixture } from "../../../machines/model/agent_fixture.ts";
import type { FixtureRunRequest } from "../../../machines/model/fixture_run.ts";
import type { FixtureHistories } from "../../agent_fixtures/run/fixture_histories.ts";
import { visibleText } from "../../core/text.ts";
import { createLiveLine } from "../../testing/reporters/spec/live_line.ts";
import { styleOf } from "../../testing/reporters/spec/terminal_style.ts";
import type { CommandContext } from "../command.ts";
import type { Interruption } from "../listen_for_interrupts.ts";
import { leftovers } from "../with_harness.ts";
import type { FixtureOptions } from "./fixture_options.ts";
import { type EndedFixture, runFixtures } from "./run_fixtures.ts";
import { summaryLines, testLines } from "./test_lines.ts";

export interface FixtureRound {
  options: FixtureOptions;
  programs: NonNullable<FixtureRunRequest["programs"]>;
  context: CommandContext;
  interruption: Interruption;
  histories: FixtureHistories;
  /** Takes what people read. */
  out: CommandContext["stdout"];
}

/** @throws {PthError} `SESSION_LOCKED` where another session holds a plugin */
export async function playFixtures(
  fixtures: readonly AgentFixture[],
  { options, programs, context, interruption, histories, out }: FixtureRound,
): Promise<EndedFixture[]> {
  const { stderr } = context;
  const style = styleOf(out);
  const live = createLiveLine(stderr);
  const started = performance.now();
  const total = fixtures.reduce((sum, { tests }) => sum + tests.length, 0);
  let ended = 0;
  let current = "starting";
  const draw = () => live.show(() => `${ended}/${total}  ${current}`);
  const say = (text: string) => {
    live.show(undefined);
    out.write(text);
    draw();
  };
  try {
    draw();
    const ran = await runFixtures(fixtures, {
      options,
      programs,
      context,
      interruption,
      tell: ({ name }, fact) => {
        if (fact.type === "step.started") current = `${name}  ${fact.message}`;
        else if (fact.type === "session.noted") say(`! ${name}  ${visibleText(fact.message)}\n`);
        else if (fact.type === "agent_test.started") current = `${name}/${fact.id}  ${fact.name}`;
        else if (fact.type === "agent_test.finished") {
          if (!fact.again) ended++;
          say(testLines(fact, style));
        }
      },
    });
    live.show(undefined);
    out.write(summaryLines(ran, performance.now() - started, style));
    await histories.keep(ran, (problem) => stderr.write(`${problem}\n`));
    for (const { ended } of ran) {
      if (ended !== undefined) { for (const left of leftovers(ended)) stderr.write(`${left}\n`); }
    }
    return ran;
  } finally {
    live.show(undefined);
  }
}
