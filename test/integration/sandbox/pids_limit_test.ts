// A fork bomb within a box ends at the limit, and the box can still be removed.
import { randomUUID } from "node:crypto";
import process from "node:process";
import t from "tap";
import { createSandbox } from "../../../src/runtimes/sandbox.ts";

const most = 40;
process.env.PTH_PIDS_LIMIT = String(most);

t.test("a box has no more processes than its limit", async (t) => {
  const runtime = createSandbox();
  const id = randomUUID();
  const handle = await runtime.provision({
    environmentId: `pids-${id}`,
    sessionId: `pids-${id}`,
    tier: 1,
    env: {},
    resources: {},
  });
  let destroyed = false;
  t.teardown(() => destroyed ? undefined : runtime.destroy(handle));
  const { limits } = await runtime.inspect(handle);
  const limit = limits.find(({ name }) => name === "pids");
  if (limit === undefined) {
    return void t.pass("not checked", { skip: "no control group for processes can be made here" });
  }
  t.comment("limited by a control group");
  t.same(limit, { name: "pids", value: most, enforced: true });
  const bomb = "i=0; while [ $i -lt 200 ]; do sleep 30 & i=$((i+1)); done; echo all";
  const { stdout, stderr } = await runtime.exec(handle, ["sh", "-c", `(${bomb}) 2>&1; true`]);
  t.notMatch(stdout, /all/);
  t.match(stdout + stderr, /fork/i);
  const started = performance.now();
  await runtime.destroy(handle);
  destroyed = true;
  t.ok(performance.now() - started < 10_000);
});
