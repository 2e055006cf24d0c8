/** `pth agent test` in this process, on harnesses that play what the agents' sessions come to. */
import { join } from "node:path";
import type { Test } from "tap";
import type { AgentTestStatus } from "../../../machines/model/agent_fixture.ts";
import type { AgentTestResult, FixtureRunRequest } from "../../../machines/model/fixture_run.ts";
import type { PublishedEvent, RequestOptions } from "../../../src/api/harness.ts";
import type { Interrupt } from "../../../src/cli/command.ts";
import { runCli } from "../../../src/cli/main.ts";
import { PthError } from "../../../src/core/errors.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

export const testText = (id: string, more = "") =>
  `test_id: ${id}
test_name: Name of ${id}
execution:
  prompt: go
  playbook: { turns: [{ text: done }] }
expectations:
  - { id: says, description: says so, type: output_contains, expected: { pattern: done } }
${more}`;

/** Fixtures of a plugin, by their names, with the texts of their tests by file. */
export async function fixturesIn(t: Test, fixtures: Record<string, Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder(t);
  const files: Record<string, string> = { ".claude-plugin/plugin.json": '{ "name": "herbarium" }' };
  for (const [name, tests] of Object.entries(fixtures)) {
    files[`fixtures/${name}/fixture.yaml`] = `name: ${name}\n`;
    for (const [file, text] of Object.entries(tests)) files[`fixtures/${name}/tests/${file}`] = text;
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeTextFile(join(folder, path), text);
  }
  return folder;
}

export type Play = (id: string, attempt: number) => AgentTestStatus | "hangs";

/** Each test begins a second after the one before. */
let seconds = 0;

function resultOf(id: string, status: AgentTestStatus, attempts: number): AgentTestResult {
  const says = { id: "says", description: "says so", type: "output_contains", expected: { pattern: "done" } };
  const met = { ...says, status: "pass" as const, actual: null };
  const missed = {
    ...says,
    status: "fail" as const,
    actual: null,
    failureReason: "nothing was said\nat all",
    line: 7,
  };
  const expectations = { pass: [met], partial: [met, missed], fail: [missed] }[status];
  return { id, judgement: { status, expectations }, startedAt: ++seconds * 1000, durationMs: 5, attempts };
}

/** The task's own rules are tested with its machine: here each test has its one attempt. */
async function playFixture(
  { fixture, tests, bail = Infinity }: FixtureRunRequest,
  play: Play,
  publish: (fact: PublishedEvent) => void,
  signal: AbortSignal | undefined,
) {
  const results: AgentTestResult[] = [];
  for (const { id, name } of tests.filter(({ skip }) => skip === undefined)) {
    if (results.filter(({ judgement }) => judgement.status !== "pass").length >= bail) break;
    publish({ type: "agent_test.started", fixture: fixture.name, id, name, attempt: 1 });
    const status = play(id, 1);
    if (status === "hangs") {
      await new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
    }
    const result = resultOf(id, status as AgentTestStatus, 1);
    publish({ type: "agent_test.finished", fixture: fixture.name, id, name, result, again: false });
    results.push(result);
  }
  const notRun = tests.filter(({ id }) => !results.some((result) => result.id === id));
  return { results, notRun: notRun.map(({ id, skip }) => ({ id, reason: skip ?? "enough" })) };
}

interface Scripted {
  /** Tests that run until the budget is spent. */
  stopsAfter?: number;
  play?: Play;
  /** Plugin's fixture whose environment cannot be made. */
  broken?: string;
  /** Interrupts once a session runs. */
  interrupt?: Interrupt;
  /** Works beside the command; `press` a key, and wait `until` it has said something on stdout. */
  beside?: (person: Person) => Promise<void>;
}

export interface Person {
  press(key: string): void;
  until(pattern: RegExp): Promise<void>;
}

export async function pth(
  args: string[],
  { play = () => "pass", stopsAfter = Infinity, broken, interrupt, beside }: Scripted = {},
) {
  const kept = keptContext(scriptedHarness());
  const requests: FixtureRunRequest[] = [];
  const harnesses: { name: string | undefined; calls: string[] }[] = [];
  const createHarness = ({ announce }: { announce?: { entry?: string } }) => {
    const played = scriptedHarness();
    const name = announce?.entry;
    const listeners = new Set<(fact: PublishedEvent) => void>();
    const session = played.harness.session();
    const own = {
      ...session,
      environment: {
        ...session.environment,
        provision(...given: Parameters<typeof session.environment.provision>) {
          if (name === broken) throw new PthError("RUNTIME_UNAVAILABLE", "Cannot provision: no engine");
          return session.environment.provision(...given);
        },
      },
      agents: {
        test(request: FixtureRunRequest, { signal }: RequestOptions = {}) {
          requests.push(request);
          if (interrupt !== undefined) setTimeout(() => kept.interrupt(interrupt));
          const given = { ...request, tests: request.tests.slice(0, stopsAfter) };
          return playFixture(given, play, (fact) => listeners.forEach((hear) => hear(fact)), signal);
        },
      },
    };
    harnesses.push({
      name,
      get calls() {
        return played.calls.map(({ name }) => name);
      },
    });
    Object.assign(played.harness, {
      on: (hear: (fact: PublishedEvent) => void) => {
        listeners.add(hear);
        return () => listeners.delete(hear);
      },
      session: () => own,
    });
    return Promise.resolve(played.harness);
  };
  const words = ["agent", "test", ...args, "--agent", "command", "--agent-command", "true", "--env", "host"];
  let hear = (_key: string) => {};
  let heard = 0;
  const person: Person = {
    press: (key) => hear(key),
    async until(pattern) {
      for (
        let found = pattern.exec(kept.stdout().slice(heard));;
        found = pattern.exec(kept.stdout().slice(heard))
      ) {
        if (found !== null) return void (heard += found.index + found[0].length);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
  const onKey = (listener: typeof hear) => {
    hear = listener;
    return () => {};
  };
  const context = { ...kept.context, createHarness, ...(beside === undefined ? {} : { onKey }) };
  const [exitCode] = await Promise.all([runCli(words, context as never), beside?.(person)]);
  const ran = requests.map(({ fixture, tests }) => `${fixture.name}: ${tests.map(({ id }) => id).join(" ")}`);
  return { exitCode, stdout: kept.stdout(), stderr: kept.stderr(), requests, ran, harnesses };
}

export async function ownHistory(t: Test): Promise<void> {
  const before = process.env["PTH_HISTORY_DIR"];
  process.env["PTH_HISTORY_DIR"] = await temporaryFolder(t);
  t.teardown(() => {
    if (before === undefined) delete process.env["PTH_HISTORY_DIR"];
    else process.env["PTH_HISTORY_DIR"] = before;
  });
}
