import t, { type Test } from "tap";
import { spawnProcess } from "../../../../src/platform/process.ts";
import { InsideShell } from "../../../../src/runtimes/shared/inside_shell.ts";

/** A shell of this machine, and the pids of all that were started for it. */
function open(t: Test) {
  const pids: number[] = [];
  const shell = new InsideShell(async (command) => {
    const child = await spawnProcess(command, { ownGroup: true });
    pids.push(child.pid);
    return { ...child, kill: (signal) => Promise.resolve(child.kill(signal)) };
  }, 'greeting=hello; say() { echo "$greeting $1"; }');
  t.teardown(() => shell.close());
  return { shell, pids };
}

const text = async (output: Promise<Uint8Array>) => new TextDecoder().decode(await output);

t.test("lines share one shell, which runs them one after the other", async (t) => {
  const { shell, pids } = open(t);
  const told = await Promise.all([
    text(shell.run("say you; last=1")),
    text(shell.run('say "you $last"; false')),
  ]);
  t.strictSame(told, ["hello you\n", "hello you 1\n"]);
  t.equal(await text(shell.run("printf 'a\\n\\nb'")), "a\n\nb");
  t.equal(await text(shell.run("cat; ls /nowhere")), "", "it has no input, and its complaints are not heard");
  t.equal(
    await text(shell.run('set -- a b; line=c; mark=d; echo "$2"')),
    "b\n",
    "its words are the line's to set",
  );
  t.equal(pids.length, 1);
});

t.test("a line that takes or tells too much costs its shell, and the next one gets another", async (t) => {
  const { shell, pids } = open(t);
  await t.rejects(shell.run("sleep 60", { timeoutMs: 100 }), {
    code: "EXEC_FAILED",
    message: /more than 0.1 s/,
  });
  await t.rejects(shell.run("cat /dev/zero", { maxBytes: 1000 }), { message: /more than 1000 bytes/ });
  t.equal(await text(shell.run("say again")), "hello again\n");
  await t.rejects(shell.run("exit"), { message: /it ended/ });
  t.equal(await text(shell.run("say more")), "hello more\n");
  t.equal(pids.length, 4);
});

t.test("words that nobody asked for, as a plugin writes them into the shell's pipe, are no answer", async (t) => {
  const { shell, pids } = open(t);
  await shell.run("(sleep 0.05; echo forged) & true");
  await new Promise((resolve) => setTimeout(resolve, 300));
  t.equal(await text(shell.run("say you")), "hello you\n");
  t.equal(pids.length, 2);
});

t.test("it is not started without end, and not once it is closed", async (t) => {
  const { shell, pids } = open(t);
  for (let times = 0; times < 6; times++) await t.rejects(shell.run("exit"), { code: "EXEC_FAILED" });
  t.equal(pids.length, 4);
  const other = open(t).shell;
  const waiting = other.run("sleep 60");
  const refused = t.rejects(waiting, { message: /closed/ });
  await new Promise((resolve) => setTimeout(resolve, 100));
  other.close();
  await refused;
  await t.rejects(other.run("true"), { message: /closed/ });
});
