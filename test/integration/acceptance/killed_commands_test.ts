// test: timeout=120
/**
 * Signals to `pth agent test`, `pth hook test`, `pth verify-install` and `pth test` while what they test is at work: nothing is
 * left behind, and after `kill -9` `pth clean` takes it away. The plugin's own processes leave their group.
 */
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import t from "tap";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { gitOutput } from "../../../src/git/git.ts";
import { collect, runCommand, signalProcess } from "../../../src/platform/process.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";
import { pth, startPth } from "../../support/pth.ts";
import { makePlace, namesIn } from "../../support/pth_run.ts";
import { differences, type Machine, machineOf, type Watched } from "./machine.ts";

/** Waits in a process of the environment's, and in one that is detached from it. */
const slow = (word: string) => `(setsid sleep ${word} >/dev/null 2>&1 &); sleep ${word}`;

const plugin = { name: "slow", version: "1.0.0", description: "Slow.", author: { name: "t" } };

/** A plugin that is a package, whose hook, agent test and package script all wait. */
const files = (word: string): Record<string, string> => ({
  ".claude-plugin/plugin.json": JSON.stringify(plugin),
  "package.json": JSON.stringify({ ...plugin, scripts: { postinstall: slow(word) } }),
  "hooks/hooks.json": JSON.stringify({
    hooks: { Stop: [{ hooks: [{ type: "command", command: slow(word) }] }] },
  }),
  "slow.hooks.yaml": "tests: [{ name: waits, event: Stop, expect: { decision: none } }]\n",
  "fixtures/fixture.yaml": "name: slow\n",
  "fixtures/tests/test_slow.yaml":
    "test_id: slow\nexecution: { agent: command, prompt: go, playbook: { turns: [{ text: x, optional: true }] } }\n",
});

interface Command {
  name: string;
  argsOf(folder: string, word: string): string[];
  /** Signal that ends it cleanly. */
  signal: "SIGTERM" | "SIGHUP";
}

const commands: Command[] = [
  {
    name: "agent test",
    argsOf: (folder, word) => [
      ...["agent", "test", folder, "--agent", "command", "--agent-command", `sh -c '${slow(word)}'`],
    ],
    signal: "SIGTERM",
  },
  { name: "hook test", argsOf: (folder) => ["hook", "test", folder], signal: "SIGHUP" },
  {
    name: "verify-install",
    argsOf: (folder) => ["verify-install", folder, "--kind", "npm"],
    signal: "SIGTERM",
  },
  {
    name: "test",
    // A folder in which nothing has to be installed, and a limit that the sleep does not reach.
    argsOf: (folder, word) => [
      ...["test", `${folder}/hooks`, "--command", slow(word), "--timeout", "1500000"],
    ],
    signal: "SIGTERM",
  },
];

pthCommandLine("cli"); // the bundle is made before anything is started
t.jobs = 3;

for (const [index, { name, argsOf, signal: polite }] of commands.entries()) {
  t.test(`a signal to pth ${name} leaves nothing behind`, { buffered: true }, async (t) => {
    const base = await makePlace(t);
    const temporary = join(base.folder, "tmp");
    const repository = join(base.folder, "repository");
    await mkdir(temporary);
    const history = join(base.folder, "history");
    const place = { ...base, env: { ...base.env, TMPDIR: temporary, PTH_HISTORY_DIR: history } };
    const word = `${800_000 + process.pid % 10_000 * 10 + index}`;
    for (const [path, text] of Object.entries(files(word))) {
      await mkdir(join(repository, path, ".."), { recursive: true });
      await writeTextFile(join(repository, path), text);
    }
    const git = (...args: string[]) =>
      gitOutput(repository, ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args]);
    for (const args of [["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]]) await git(...args);
    const watched = { place, repository, word };
    const before = await machineOf(watched, []);
    for (const signal of [polite, "SIGKILL"] as const) {
      const child = await startPth([...argsOf(repository, word), "--env", "host"], place.env);
      const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
      const story = () => `${stdout.text()}${stderr.text()}`;
      t.ok(await isAtWork(watched, child.exited), `${signal}: it is at work`, { story: story() });
      const sessions = (await namesIn(join(place.env.PTH_HOME, "sessions"))).map((file) =>
        file.replace(".jsonl", "")
      );
      signalProcess(child.pid, signal);
      const { code } = await child.exited;
      t.equal(code, signal === "SIGKILL" ? null : 143, `${signal}: its exit code`, { story: story() });
      if (signal === "SIGKILL") {
        t.not(
          differences(before, await machineOf(watched, sessions)).length,
          0,
          "something is left to clean",
        );
        const cleaned = await pth(["clean"], { env: place.env });
        t.equal(cleaned.code, 0, cleaned.stderr);
      }
      t.same(await remains(watched, sessions, before), [], `${signal}: nothing is left`, { story: story() });
    }
  });
}

/** Waits until the plugin's own processes, the one and the detached one, are there. */
async function isAtWork({ word }: Watched, exited: Promise<unknown>): Promise<boolean> {
  let ended = false;
  void exited.then(() => ended = true);
  while (!ended) {
    const { stdout } = await runCommand(["pgrep", "-cfx", `sleep ${word}`]);
    if (Number(stdout) === 2) return true;
    await wait(100);
  }
  return false;
}

/** What was killed needs a moment to vanish from the list of processes. */
async function remains(watched: Watched, sessions: string[], before: Machine): Promise<string[]> {
  for (let tries = 0;; tries++) {
    const left = differences(before, await machineOf(watched, sessions));
    if (left.length === 0 || tries === 50) return left;
    await wait(100);
  }
}
