/** Servers and agents that hang, in environments: each failure says what its processes waited for before the limit. */
import { join } from "node:path";
import t, { type Test } from "tap";
import type { AgentSessionResult } from "../../../machines/model/agent_session.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { makePlace, runPth, story } from "../../support/pth_run.ts";
import { readiness } from "../../support/readiness.ts";

const reasons = await readiness();
const turns = openCliTurns();
t.teardown(() => turns.close());

/** What is told of a tool's hang: its kind, and the line, without numbers of processes. */
type Told = Record<string, readonly [kind: string, says: RegExp]>;

async function hangs(t: Test, env: string, command: string, told: Told): Promise<void> {
  const place = await makePlace(t);
  const plugin = await copyFixture("hanging_servers", place.folder);
  const tests = join(place.folder, "tests");
  await mkdir(tests);
  for (const tool of [...Object.keys(told), "quick"]) {
    const limit = tool === "spin" ? 3 : 7;
    const test =
      `name: ${tool}\ntool: ${tool}\ninput: {}\ntimeout_seconds: ${limit}\nexpect: { success: true }\n`;
    await writeTextFile(join(tests, `${tool}.yaml`), test);
  }
  const ran = await runPth(
    place,
    [plugin, "--env", env, "--command", command, "--tests", tests, "--workers", "5"],
    {},
    turns.run,
  );
  const { report } = ran;
  t.equal(ran.code, 1, story(ran));
  for (const { name, status, category, message, hang } of report.tests) {
    if (name === "quick") {
      t.equal(status, "passed");
      continue;
    }
    t.strictSame([status, category], ["failed", "timeout"], name);
    const [kind, says] = told[name]!;
    t.equal(hang?.kind, kind, `${name}: ${message}`);
    t.match(hang?.says.replaceAll(/\(\d+\)/g, "(n)"), says, name);
    t.ok(message?.includes(`\n  ${hang?.says}\n`), story(ran));
  }
  t.equal(report.tests.length, Object.keys(told).length + 1);
}

t.test(
  "a Python server in a sandbox",
  { skip: reasons.sandbox },
  (t) =>
    hangs(t, "sandbox", "python3 server.py", {
      deadlock: ["deadlock", /^hung: deadlock, suspected: python\S* \(n\) waits for a lock/],
      spin: [
        "infinite_loop",
        /^hung: endless loop, suspected: python\S* \(n\) computes, at \d+ % of a processor/,
      ],
      peer: [
        "waiting",
        /^hung: calls nothing: python\S* \(n\) waits for input from a connection to 127\.0\.0\.1:\d+/,
      ],
      child: ["deadlock", /waits for the end of cat \(n\); cat \(n\) waits for input from its stdin/],
      nap: [
        "beyond_timeout",
        /^hung: goes on only after the limit, suspected: python\S* \(n\) sleeps for 3\d\d\d s more/,
      ],
    }),
);

t.test(
  "a Node server in a container",
  { skip: reasons.docker },
  (t) =>
    hangs(t, "docker", "node server.mjs", {
      forget: ["waiting", /^hung: calls nothing: node \(n\) waits in its event loop for its stdin$/],
      block: [
        "deadlock",
        /^hung: deadlock, certain: node \(n\) waits for a lock or a condition, in \S*block \(\S*server\.mjs:\d+\)$/,
      ],
      child: ["waiting", /node \(n\) waits in its event loop .*; cat \(n\) waits for input from its stdin/],
      peer: ["waiting", /node \(n\) waits in its event loop for .*a connection to 127\.0\.0\.1:\d+/],
    }),
);

t.test("an agent that asks for nothing is stopped as ever, with what it waited for", async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("hanging_servers", place.folder);
  const playbook = join(place.folder, "playbook.yaml");
  await writeTextFile(playbook, "turns:\n  - text: done\n");
  const { stdout } = await turns.run([
    ...["agent", "run", plugin, "x", "--agent", "command", "--agent-command", "sleep 600 | cat; echo"],
    ...["--playbook", playbook, "--env", "host", "--timeout", "7", "--json"],
  ], { env: place.env });
  const { stopped, failures, inspection } = JSON.parse(stdout) as AgentSessionResult;
  t.equal(stopped, "silent");
  t.equal(inspection?.kind, "beyond_timeout");
  t.match(
    inspection?.says,
    /^hung: goes on only after the limit, certain: .*sleep \(\d+\) sleeps for \d+ s more/,
  );
  t.ok(failures.some((words) => words.includes(`within 7 s; ${inspection?.says}`)), failures.join("\n"));
});
