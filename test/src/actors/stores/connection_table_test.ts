import t from "tap";
import type { ConnectionLoss, PluginPlan } from "../../../../machines/model/plugin.ts";
import type { Connection } from "../../../../src/client/connection.ts";
import { ConnectionTable } from "../../../../src/actors/stores/connection_table.ts";

t.test("a connection that is closed is refused by its id", (t) => {
  const table = new ConnectionTable();
  t.throws(() => table.require("c1"), { code: "SERVER_LOST", message: /c1 is closed/ });
  t.end();
});

t.test("checks and relays get a number each of their own", (t) => {
  const table = new ConnectionTable();
  t.same([table.nextCheck(), table.nextCheck(), table.nextRelay(), table.nextRelay()], [
    0,
    1,
    "relay-1",
    "relay-2",
  ]);
  t.end();
});

t.test("an instance that a check leaves serves the next one of the same plan, as long as it lives", async (t) => {
  const table = new ConnectionTable();
  const [plan, other] = [{} as PluginPlan, {} as PluginPlan];
  let end = () => {};
  const lost = new Promise<ConnectionLoss>((resolve) => end = () => resolve({} as ConnectionLoss));
  const connection = { id: "check-1", lost } as Connection;
  table.open.set(connection.id, connection);

  const anyOf = (of: typeof plan) => ({ plan: of, mayBeCalled: true });
  table.retain(connection, plan, false);
  t.equal(table.takeRetained(anyOf(other)), undefined, "a reload has made another plan");
  t.equal(table.takeRetained(anyOf(plan))?.connection, connection);
  t.equal(table.takeRetained(anyOf(plan)), undefined, "it is taken once");

  table.retain(connection, plan, true);
  t.equal(table.takeRetained({ plan, mayBeCalled: false }), undefined, "its tools were called");
  t.match(table.takeRetained(anyOf(plan)), { connection, called: true });

  table.retain(connection, plan, false);
  end();
  await lost;
  t.equal(table.takeRetained(), undefined, "one that has ended is not given to anybody");
  t.notOk(table.open.has(connection.id));
});
