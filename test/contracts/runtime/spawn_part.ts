import { randomBytes } from "node:crypto";
import { eventually, type Part, processesWith, readBytes, text, unique } from "./context.ts";

/** spawn: live pipes, pid, kill, ending. */
export const spawnPart: Part = async (t, living) => {
  const { runtime, handle } = living;

  await t.test("a live process answers on its pipes, byte by byte", async (t) => {
    const child = await runtime.spawn(handle, ["cat"]);
    const bytes = randomBytes(200_000);
    const reading = readBytes(child.stdout, bytes.length);
    child.stdin.write(bytes);
    t.ok(bytes.equals(await reading));
    child.stdin.end();
    t.equal((await child.exited).code, 0);
  });

  await t.test("stdout and stderr stay apart; cwd and env are obeyed", async (t) => {
    const child = await runtime.spawn(handle, ["sh", "-c", 'echo "$PWD $X"; echo bad >&2; read x; exit 7'], {
      cwd: "/usr",
      env: { X: "y z" },
    });
    const [out, err] = await Promise.all([readBytes(child.stdout, 9), readBytes(child.stderr, 4)]);
    t.equal(out.toString(), "/usr y z\n");
    t.equal(err.toString(), "bad\n");
    child.stdin.end("\n");
    t.equal((await child.exited).code, 7);
  });

  await t.test("the pid is the one that the environment sees", async (t) => {
    const word = `9${unique()}`;
    const child = await runtime.spawn(handle, ["sleep", word]);
    if (child.pid === undefined) t.comment("this runtime cannot tell pids");
    else t.match(await text(t, living, `tr '\\0' ' ' </proc/${child.pid}/cmdline`), word);
    await child.kill("SIGKILL");
    const status = await child.exited;
    t.ok(status.signal === "SIGKILL" || status.code === 137, JSON.stringify(status));
  });

  await t.test("SIGTERM lets a process end in its own way", async (t) => {
    const script = "trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.05; done";
    const child = await runtime.spawn(handle, ["sh", "-c", script]);
    await readBytes(child.stdout, 3);
    const farewell = readBytes(child.stdout, 4);
    await child.kill("SIGTERM");
    t.equal((await farewell).toString(), "bye\n");
    t.equal((await child.exited).code, 5);
  });

  await t.test("kill reaches the children of a process", async (t) => {
    const word = `9${unique()}`;
    const child = await runtime.spawn(handle, ["sh", "-c", `sleep ${word} & sleep ${word} & echo up; wait`]);
    await readBytes(child.stdout, 3);
    t.equal(await processesWith(living, word) >= 2, true);
    await child.kill("SIGKILL");
    await child.exited;
    t.ok(await eventually(async () => (await processesWith(living, word)) === 0), "nothing is left");
  });

  await t.test("SIGTERM to the process alone reaches none of its children", async (t) => {
    const word = `9${unique()}`;
    const child = await runtime.spawn(handle, ["sh", "-c", `sleep ${word} & echo up; wait`]);
    await readBytes(child.stdout, 3);
    await child.kill("SIGTERM", "leader");
    // The child holds the pipes: the end is told all the same.
    const { code, signal } = await child.exited;
    t.ok(signal === "SIGTERM" || code === 143, `its end is told: ${code ?? signal}`);
    t.equal(await processesWith(living, word), 1, "the child runs on");
    await child.kill("SIGTERM", "group");
    t.ok(
      await eventually(async () => (await processesWith(living, word)) === 0),
      "the group outlives its leader",
    );
    await child.kill("SIGTERM", "leader");
  });

  await t.test("killing a process that is gone is no error", async (t) => {
    const child = await runtime.spawn(handle, ["true"]);
    await child.exited;
    await child.kill("SIGTERM");
    t.equal((await child.exited).code, 0);
  });

  await t.test("what a process said before anybody listened is given before its end is told", async (t) => {
    const child = await runtime.spawn(handle, ["echo", "gone already"]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    let said = "";
    child.stdout.on("data", (chunk) => said += chunk);
    t.equal((await child.exited).code, 0);
    t.equal(said, "gone already\n");
  });

  await t.test("a program that is not there ends with 127 and is named on stderr", async (t) => {
    const child = await runtime.spawn(handle, ["no-such-program-here"]);
    let said = "";
    child.stderr.on("data", (chunk) => said += chunk);
    child.stdout.on("data", (chunk) => said += chunk);
    const { code } = await child.exited;
    t.ok(code === 127 || code === 126, `code ${code}`);
    t.match(said, /no-such-program-here/);
  });
};
