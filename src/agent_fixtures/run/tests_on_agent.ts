/** Tests with an agent in place of their own, and whether agents can do what tests ask for. */
import type { AgentFixture, AgentTest } from "../../../machines/model/agent_fixture.ts";
import type { AgentCommandLine } from "../../../machines/model/agent_session.ts";
import { agents } from "../../agents/adapters/agents.ts";
import { suggestion } from "../../core/did_you_mean.ts";

interface AgentRules {
  /** Name of the agent of all tests; undefined: each test's own. */
  agent: string | undefined;
  /** Command line of the agent that has no program of its own. */
  command: AgentCommandLine | undefined;
  /** Whether a real model answers tests without a playbook. */
  real: boolean;
  /** Describes what an agent without a command line needs. */
  commandLine(agent: string): string;
  /** Describes what a test without a model needs. */
  noModel: string;
}

/** Tests that are to be skipped are not looked at. */
export function testsOnAgent(
  fixtures: readonly AgentFixture[],
  { agent, command, real, commandLine, noModel }: AgentRules,
  complain: (test: AgentTest, message: string) => void,
): AgentFixture[] {
  const known = agents.map(({ name }) => name);
  return fixtures.map((fixture) => ({
    ...fixture,
    tests: fixture.tests.map((given) => {
      const test = agent === undefined ? given : { ...given, agent };
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
}
