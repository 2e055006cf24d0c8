import t from "tap";
import { createActor, createMachine, fromCallback, fromPromise } from "xstate";
import {
  connectionMachine,
  type OpenedConnection,
  type OpenInput,
} from "../../machines/connection_machine.ts";
import type { CloseReport, ConnectionLoss } from "../../machines/model/plugin.ts";
import { poolMachine } from "../../machines/pool_machine.ts";

const lost: ConnectionLoss = {
  reason: "killed",
  exitCode: null,
  signal: "SIGKILL",
  stderrTail: "",
  message: "ended by SIGKILL",
};

/** A pool with one server, and how many were opened. */
async function opened() {
  let starts = 0;
  const ends: ((loss: ConnectionLoss) => void)[] = [];
  const connection = connectionMachine.provide({
    actors: {
      open: fromPromise<OpenedConnection, OpenInput>(() => {
        starts++;
        return Promise.resolve({ server: {} as never, pid: starts, tools: [] });
      }),
      watch: fromPromise<ConnectionLoss, { connectionId: string }>(() =>
        new Promise((resolve) => ends.push(resolve))
      ),
      close: fromPromise<CloseReport, { connectionId: string }>(() =>
        Promise.resolve({ how: "already-gone", waitedMs: 0, exitCode: null, orphans: [] })
      ),
    },
  });
  const pool = createActor(poolMachine.provide({ actors: { connection } }), { input: { plan: {} as never } });
  pool.start();
  await settle();
  return { pool, starts: () => starts, die: () => ends.at(-1)!(lost) };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

t.test("a server that is lost is replaced; while the pool rests, only once somebody wants one", async (t) => {
  const { pool, starts, die } = await opened();
  t.equal(starts(), 1);
  die();
  await settle();
  t.equal(starts(), 2);

  pool.send({ type: "pool.rest" });
  die();
  await settle();
  t.equal(starts(), 2, "what it runs in is taken back to an earlier state");
  const holder = createActor(createMachine({})).start();
  pool.send({ type: "lease.requested", leaseId: "a", holder });
  await settle();
  t.equal(starts(), 3);
  pool.send({ type: "lease.released", leaseId: "a" });
  die();
  await settle();
  t.equal(starts(), 4, "as before");
  pool.stop();
});

t.test("a pool that rested for nothing replaces what was lost meanwhile", async (t) => {
  const { pool, starts, die } = await opened();
  pool.send({ type: "pool.rest" });
  die();
  await settle();
  t.equal(starts(), 1);
  pool.send({ type: "pool.wake" });
  await settle();
  t.equal(starts(), 2);
  pool.stop();
});

t.test("a pool that is to be empty ends its servers, tells it, and starts one once somebody wants it", async (t) => {
  const { pool, starts } = await opened();
  const told: string[] = [];
  const asker = createActor(fromCallback(({ receive }) => receive(({ type }) => void told.push(type))))
    .start();
  pool.send({ type: "pool.vacate", asker });
  await settle();
  t.same(told, ["pool.vacated"]);
  t.equal(starts(), 1);
  t.same(pool.getSnapshot().context.members, {});
  pool.send({ type: "lease.requested", leaseId: "a", holder: asker });
  await settle();
  t.equal(starts(), 2);
  t.same(told, ["pool.vacated", "lease.granted"]);
  pool.stop();
});
