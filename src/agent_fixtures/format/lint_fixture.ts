/** Lints of a fixture: what is valid, and yet not as it should be. */
import type { AgentTest } from "../../../machines/model/agent_fixture.ts";
import type { Problem } from "../../core/problems.ts";
import { count } from "../../core/text.ts";

const fewest = 10;
const most = 25;

export function lintFixture(file: string, tests: readonly AgentTest[]): Problem[] {
  const number = new Set(tests.map(({ id, sharedId }) => sharedId ?? id)).size;
  const size = number >= fewest && number <= most ? [] : [{
    file,
    line: 1,
    column: 1,
    message: `the fixture has ${
      count(number, "test")
    }: ${fewest} to ${most} cover a plugin and stay readable`,
  }];
  const empty = tests.filter(({ expectations }) => expectations.length === 0).map((test) => ({
    file: test.file,
    line: test.line,
    column: 1,
    message: `${test.id} expects nothing: it passes whatever the agent does`,
  }));
  return [...size, ...empty];
}
