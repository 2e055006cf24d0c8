import t from "tap";
import { runOrFail } from "../../../../src/runtimes/images/context.ts";
import { missingTools } from "../../../../src/runtimes/images/vm_inputs.ts";

const says = (text: string, code: number) => ["sh", "-c", `echo "${text}" >&2; exit ${code}`];

t.test("a tool's failure is told by its meaning, with what it printed", async (t) => {
  const unreachable = "E: Failed to fetch http://127.0.0.1:9/Release  Could not connect";
  await t.rejects(runOrFail(says(unreachable, 100), {}), {
    code: "IMAGE_BUILD_FAILED",
    message: "Cannot build image: sh reached no mirror",
    context: { output: unreachable, next: [/apt-get update/] },
  });
  await t.rejects(runOrFail(says("tar: write error: No space left on device", 2), {}), { code: "DISK_FULL" });
  await t.rejects(runOrFail(says("what now", 3), {}), { message: "Cannot build image: sh ended with 3" });
  await t.rejects(runOrFail(["sh", "-c", "kill -9 $$"], {}), { message: /sh was ended by SIGKILL/ });
  await t.rejects(runOrFail(["no-such-tool-of-pth"], {}), { code: "EXEC_FAILED" });
});

t.test("an interrupted tool may tidy up before it goes", async (t) => {
  const stop = new AbortController();
  const reason = new Error("enough");
  let said = "";
  const tidies = "trap 'echo tidied; exit 143' TERM; echo ready; while :; do sleep 0.05; done";
  const running = runOrFail(["sh", "-c", tidies], {
    signal: stop.signal,
    onOutput: (text) => {
      said += text;
      if (text.includes("ready")) stop.abort(reason);
    },
  });
  t.equal(await running.catch((error) => error), reason);
  t.match(said, /ready\n[^]*tidied\n/);
});

t.test("missing tools are named, those in the system's folders are found", async (t) => {
  t.same(await missingTools(["sh", "no-such-tool-of-pth", "also; not"]), [
    "no-such-tool-of-pth",
    "also; not",
  ]);
});
