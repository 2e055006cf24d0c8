/** Histories of fixtures: how their tests ended in earlier runs on this machine. */
import { dirname } from "node:path";
import type { AgentFixture } from "../../../machines/model/agent_fixture.ts";
import type { AgentTestResult } from "../../../machines/model/fixture_run.ts";
import { errorMessage } from "../../core/errors.ts";
import { count } from "../../core/text.ts";
import { demandDigest, openTestHistory, type TestHistory } from "../../testing/run/test_history.ts";
import type { RanFixture } from "./ran_fixture.ts";

export interface FixtureHistories {
  /** Ids of tests that failed when the fixture ran last; undefined: no run is known. */
  lastFailed(fixture: AgentFixture): string[] | undefined;
  /** Keeps what the tests came to; results stay valid where that fails, and `tell` takes why. */
  keep(ran: readonly RanFixture[], tell: (problem: string) => void): Promise<void>;
}

/** Opens those of the fixtures, by the folder of their tests. */
export async function openFixtureHistories(fixtures: readonly AgentFixture[]): Promise<FixtureHistories> {
  const opened = new Map<string, TestHistory>();
  for (const { name, plugin, tests } of fixtures) {
    const folder = tests[0] === undefined ? plugin : dirname(tests[0].file);
    opened.set(name, await openTestHistory({ name, key: `agent-tests\0${folder}\0${name}`, folder }));
  }
  return {
    lastFailed: ({ name }) => opened.get(name)!.lastFailed(),
    async keep(ran, tell) {
      for (const { fixture, results } of ran) {
        if (results.length === 0) continue;
        try {
          const outcomes = results.map((result) => outcomeOf(fixture, result));
          await opened.get(fixture.name)!.add({ at: Date.now(), source: "", outcomes });
        } catch (error) {
          tell(`The history of ${count(results.length, "test")} was not written: ${errorMessage(error)}`);
        }
      }
    },
  };
}

function outcomeOf({ tests }: AgentFixture, { id, judgement, attempts }: AgentTestResult) {
  const { file: _file, line: _line, expectations, ...rest } = tests.find((test) => test.id === id)!;
  // Where a test and its parts lie is no part of what it demands.
  const demands = { ...rest, expectations: expectations.map(({ line: _place, ...each }) => each) };
  const failures = judgement.status === "pass" ? attempts - 1 : attempts;
  return { id, digest: demandDigest(demands), runs: attempts, failures };
}
