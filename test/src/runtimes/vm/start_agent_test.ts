// The agent itself, by this host's own Python, over pipes instead of SSH.
import { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import { Duplex as DuplexOf } from "node:stream";
import { readFile } from "node:fs/promises";
import process from "node:process";
import t, { type Test } from "tap";
import { runCommand, spawnProcess } from "../../../../src/platform/process.ts";
import type { SshConnection } from "../../../../src/platform/ssh.ts";
import { startAgent } from "../../../../src/runtimes/vm/start_agent.ts";
import { createAgentCommand } from "../../../../src/runtimes/shared/agent/create_agent_command.ts";
import { execInGuest, spawnInGuest, type Start } from "../../../../src/runtimes/vm/guest_exec.ts";
import { number32 } from "../../../../src/runtimes/shared/frames.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

/** A "machine" whose shell is this host's. */
function localConnection(t: Test, path?: string): SshConnection {
  return {
    async run(commandLine) {
      const child = await spawnProcess(["/bin/sh", "-c", commandLine], {
        ownGroup: true,
        ...(path ? { env: { PATH: path } } : {}),
      });
      t.teardown(() => child.kill("SIGKILL"));
      const io: Duplex = DuplexOf.from({ writable: child.stdin, readable: child.stdout });
      io.on("error", () => {});
      return { io, stderr: child.stderr, ended: child.exited };
    },
    reach: () => Promise.resolve(undefined),
    isOpen: true,
    closed: new Promise(() => {}),
    end: () => Promise.resolve(),
    cut: () => {},
  };
}

const noPython = await runCommand(["python3", "-c", "import os; os.pidfd_open, os.posix_spawn"])
  .then(({ code, stderr }) => code === 0 ? false : `no fitting python3: ${stderr}`, () => "no python3 here");

async function agentOf(t: Test): Promise<{ start: Start; id: string }> {
  const id = `unit/${crypto.randomUUID()}`;
  const runner = await startAgent(localConnection(t), "", id);
  if (!("start" in runner)) throw new Error(runner.reason);
  return { start: async (order) => (await runner.start(order))!, id };
}

const at = { cwd: "/", env: {} };

t.test("a machine without python3 is told", async (t) => {
  t.match(await startAgent(localConnection(t, "/nowhere"), "", "unit/none"), {
    reason: "there is no python3",
  });
});

t.test("words and variables arrive as they are, and no word holds a NUL", { skip: noPython }, async (t) => {
  const { start } = await agentOf(t);
  const odd = ["a b", "", "$HOME", "it's", "new\nline", "é✓", "--"];
  const result = await execInGuest(start, { ...at, command: ["printf", "[%s]", ...odd] }, {});
  t.equal(result.stdout, odd.map((word) => `[${word}]`).join(""));
  const env = { "ODD": "a=b\nc" };
  t.equal(
    (await execInGuest(start, { cwd: "/", env, command: ["sh", "-c", 'printf %s "$ODD"'] }, {})).stdout,
    "a=b\nc",
  );
  for (const order of [{ ...at, command: ["echo", "a\0b"] }, { cwd: "/\0", env: {}, command: ["true"] }]) {
    await t.rejects(execInGuest(start, order, {}), { code: "EXEC_FAILED" });
  }
});

t.test("what cannot be started is told as a shell tells it", { skip: noPython }, async (t) => {
  const { start } = await agentOf(t);
  const folder = await temporaryFolder(t);
  const cases: [string[], string, number, RegExp][] = [
    [["no-such-program"], "/", 127, /no-such-program: not found/],
    [["/etc/passwd"], "/", 126, /passwd: Permission denied/],
    [["true"], "/no/such", 126, /\/no\/such/],
    [["true"], "/etc/passwd", 126, /Not a directory/],
  ];
  for (const [command, cwd, code, words] of cases) {
    t.match(await execInGuest(start, { cwd, env: {}, command }, {}), { code, stderr: words });
  }
  await runCommand(["sh", "-c", `printf 'echo ran "$1"' >'${folder}/script' && chmod +x '${folder}/script'`]);
  const bare = await execInGuest(start, { ...at, command: [`${folder}/script`, "x"] }, {});
  t.equal(bare.stdout, "ran x\n", "a script without a first line for the kernel is the shell's");
});

t.test(
  "a child in the background does not hold its parent's result up, and is not ended",
  { skip: noPython },
  async (t) => {
    const { start } = await agentOf(t);
    const result = await execInGuest(start, { ...at, command: ["sh", "-c", "sleep 30 & echo $!"] }, {});
    t.ok(result.durationMs < 10_000);
    const pid = Number(result.stdout);
    t.match(await readFile(`/proc/${pid}/cmdline`, "latin1"), /^sleep/);
    process.kill(pid);
  },
);

t.test("an output that nobody takes stops its writer, not the others", { skip: noPython }, async (t) => {
  const { start } = await agentOf(t);
  const flood = await spawnInGuest(start, { ...at, command: ["yes"] });
  const results = await Promise.all(
    [1, 2, 3].map((n) => execInGuest(start, { ...at, command: ["echo", String(n)] }, {})),
  );
  t.same(results.map(({ stdout }) => stdout), ["1\n", "2\n", "3\n"]);
  await flood.kill("SIGKILL");
  flood.stdout.resume();
  t.same(await flood.exited, { code: null, signal: "SIGKILL" });
});

t.test("an agent that is gone is asked nothing, and ends nothing", { skip: noPython }, async (t) => {
  const runner = await startAgent(localConnection(t), "", `unit/${crypto.randomUUID()}`);
  if (!("start" in runner)) throw new Error(runner.reason);
  const own = ["sh", "-c", "kill -KILL $PPID; sleep 60"];
  await t.rejects(execInGuest(async (order) => (await runner.start(order))!, { ...at, command: own }, {}), {
    code: "ENVIRONMENT_LOST",
  });
  t.equal(runner.isOpen, false);
  t.equal(await runner.start({ ...at, command: ["true"], stdin: false }), undefined);
  await t.rejects(runner.endOthers("unit/"), { code: "ENVIRONMENT_LOST" });
});

t.test("a command whose last words are lost has no result", async (t) => {
  const command = createAgentCommand("mark", () => {}, () => {});
  command.take("P", number32(1234));
  command.take("1", Buffer.from("half of what"));
  command.take("X", number32(0));
  command.lose();
  t.same(await command.ended, { code: 0, signal: null });
  t.equal(await command.settled, undefined);
});
