/** A fixture of one test, made of the test as it was planned: with it the test runs again as it did. */
import { stringify } from "yaml";
import type { AgentTest } from "../../../machines/model/agent_fixture.ts";
import type { Playbook, PlaybookText } from "../../../machines/model/playbook.ts";
import { escapeHidden, stripEscapes } from "../../core/text.ts";
import type { AgentTestText, FixtureText } from "../format/fixture_schema.ts";

/** Name of the test's file. */
export const reproducedTest = "test_reproduced.yaml";

/**
 * Files of the fixture, by their names; beside them lie the plugin in `plugin` and what the project begins with in
 * `project`.
 */
export function fixtureFiles(fixture: string, test: AgentTest): Record<string, string> {
  const head: FixtureText = { name: fixture, package: "./plugin" };
  return { "fixture.yaml": yaml(head), [reproducedTest]: yaml(testText(test)) };
}

/** YAML; or JSON, which YAML reads, too, where pages and terminals would show characters of the text as others. */
function yaml(value: unknown): string {
  const json = JSON.stringify(value, undefined, 2);
  const text = stringify(JSON.parse(json), { lineWidth: 0 });
  return stripEscapes(text) === text ? text : `${escapeHidden(json)}\n`;
}

function testText(test: AgentTest): AgentTestText {
  const {
    id,
    name,
    description,
    tags,
    agent,
    prompt,
    model,
    tools,
    asksPermission,
    timeoutMs,
    playbook,
    start,
  } = test;
  return {
    // Ids of variants have their values in them.
    test_id: id.replaceAll(/[^\w.-]+/g, "-").replace(/^[.-]+/, "").replace(/-$/, "") || "test",
    test_name: name,
    description,
    tags,
    execution: {
      prompt,
      agent,
      model,
      tools,
      timeout_ms: timeoutMs,
      permissions: asksPermission ? "ask" : "all",
      playbook: playbook === undefined ? undefined : playbookText(playbook) as FixturePlaybook,
    },
    setup: { files: [{ src: "project", dest: "." }], git: start.git, commands: start.commands },
    teardown: { commands: test.teardown },
    expectations: test.expectations.map(({ line: _line, ...each }) => each),
  };
}

type FixturePlaybook = NonNullable<AgentTestText["execution"]["playbook"]>;

/** A playbook as its file holds it. */
function playbookText({ lanes, ...rest }: Playbook): PlaybookText {
  const main = lanes.find(({ subagent, side, match }) =>
    subagent === undefined && side === undefined && match === undefined
  );
  return {
    ...rest,
    ...(main === undefined ? {} : { turns: main.turns }),
    ...(lanes.length === (main === undefined ? 0 : 1)
      ? {}
      : { lanes: lanes.filter((lane) => lane !== main) }),
  };
}
