import t from "tap";
import { createActor, fromPromise } from "xstate";
import { connectionMachine } from "../../machines/connection_machine.ts";
import { poolMachine } from "../../machines/pool_machine.ts";

t.test("a pool keeps the latest reports of closed connections, and not those of a whole day", (t) => {
  const connection = connectionMachine.provide({
    actors: { open: fromPromise(() => new Promise(() => {})) },
  });
  const pool = createActor(poolMachine.provide({ actors: { connection } }), { input: { plan: {} as never } });
  pool.start();
  for (let waitedMs = 1; waitedMs <= 250; waitedMs++) {
    const report = { how: "stdin-eof" as const, waitedMs, exitCode: 0, orphans: [] };
    pool.send({ type: "connection.closed", connectionId: "another", report });
  }
  const { reports } = pool.getSnapshot().context;
  t.equal(reports.length, 100);
  t.equal(reports.at(-1)?.waitedMs, 250);
  pool.stop();
  t.end();
});
