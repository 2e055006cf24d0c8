// Files of a box whose disk is in memory are not told as memory that its processes take.
import { randomUUID } from "node:crypto";
import t from "tap";
import { createSandbox } from "../../../src/runtimes/sandbox.ts";

t.test("what lies on a limited disk is told beside the memory of processes", async (t) => {
  const runtime = createSandbox();
  const id = randomUUID();
  const resources = { memoryMB: 200, diskGB: 0.15 };
  const names = { environmentId: `disk-${id}`, sessionId: `disk-${id}` };
  const handle = await runtime.provision({ ...names, tier: 1, env: {}, resources });
  t.teardown(() => runtime.destroy(handle));
  const { limits } = await runtime.inspect(handle);
  if (!limits.some(({ name, enforced }) => name === "memoryMB" && enforced)) {
    return void t.pass("not checked", { skip: "no control group for memory can be made here" });
  }
  const filled = await runtime.exec(handle, ["sh", "-c", "head -c 100000000 /dev/zero >/usr/filled"], {
    cwd: "/",
  });
  t.equal(filled.code, 0, filled.stderr);
  const { memoryUsedPercent, memoryForFilesPercent = 0, diskUsedPercent: _root, problems } = await runtime
    .healthCheck(handle);
  t.ok(memoryForFilesPercent > 40 && memoryForFilesPercent < 60, `${memoryForFilesPercent} % for files`);
  t.ok(memoryUsedPercent < 30, `${memoryUsedPercent} % by processes`);
  t.same(problems, []);
});
