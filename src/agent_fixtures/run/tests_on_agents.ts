/** Tests with an agent in place of their own, and whether agents can do what tests ask for. */
import type { AgentFixture, AgentTest } from "../../../machines/model/agent_fixture.ts";
import type { AgentCommandLine } from "../../../machines/model/agent_session.ts";
import { agents } from "../../agents/adapters/agents.ts";
import { suggestion } from "../../core/did_you_mean.ts";
import { count } from "../../core/text.ts";
import { onAgent } from "../format/plan_test.ts";

interface AgentRules {
  /** Names of the agents of all tests; none: each test's own. */
  agents: readonly string[];
  /** Command line of the agent that has no program of its own. */
  command: AgentCommandLine | undefined;
  /** Whether a real model answers tests without a playbook. */
  real: boolean;
  /** Describes what an agent without a command line needs. */
  commandLine(agent: string): string;
  /** Describes what a test without a model needs. */
  noModel: string;
}

/**
 * A test that names several agents runs on those of them that were asked for, any other on each that was. Tests that are to be
 * skipped are not looked at.
 * @returns the fixtures, and a note on tests that are for other agents alone
 */
export function testsOnAgents(
  fixtures: readonly AgentFixture[],
  { agents: asked, command, real, commandLine, noModel }: AgentRules,
  complain: (test: AgentTest, message: string) => void,
): { fixtures: AgentFixture[]; notes: string[] } {
  const known = agents.map(({ name }) => name);
  const all = fixtures.map((fixture) => ({
    ...fixture,
    tests: fixture.tests.flatMap((test) => onAsked(test, asked)).map((test) => {
      if (test.skip !== undefined) return test;
      const found = agents.find(({ name }) => name === test.agent);
      if (found === undefined) {
        complain(test, `unknown agent "${test.agent}"${suggestion(test.agent, known)}`);
      } else if ((test.tools !== undefined || test.asksPermission) && found.restricts !== true) {
        complain(
          test,
          `${found.name} gets all of its tools: leave out tools and permissions, or take claude`,
        );
      } else if (found.installation === undefined && command === undefined) {
        complain(test, commandLine(found.name));
      }
      if (test.playbook === undefined && !real) complain(test, noModel);
      return test;
    }),
  }));
  const rest = new Set(all.flatMap(({ name, tests }) => tests.map((test) => keyOf(name, test))));
  const left = new Set(
    fixtures.flatMap(({ name, tests }) => tests.map((test) => keyOf(name, test))).filter((key) =>
      !rest.has(key)
    ),
  );
  const note = `${count(left.size, "test")} left out, not for the agents ${asked.join(", ")}: ${
    [...left].join(", ")
  }`;
  return { fixtures: all, notes: left.size === 0 ? [] : [note] };
}

const keyOf = (fixture: string, { id, sharedId = id }: AgentTest): string => `${fixture}/${sharedId}`;

function onAsked(test: AgentTest, asked: readonly string[]): AgentTest[] {
  const [only] = asked;
  if (only === undefined) return [test];
  if (test.sharedId !== undefined) return asked.includes(test.agent) ? [test] : [];
  if (asked.length === 1) return [{ ...test, agent: only }];
  return asked.map((agent) => ({ ...test, ...onAgent(test, agent), agent }));
}
