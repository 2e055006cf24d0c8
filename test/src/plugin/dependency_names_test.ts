import t from "tap";
import { expandDependencies, nameDependencies, variableName } from "../../../src/plugin/dependency_names.ts";

const namesOf = (...sources: string[]) =>
  nameDependencies(sources.map((source) => ({ source }))).map(({ name }) => name);

t.test("a dependency is called like its folder or its package", (t) => {
  t.strictSame(
    namesOf("/plugins/orders api/", "~/db", "npm:@scope/queue-server@^1.2", "npm:plain", "../.hidden", "/"),
    ["orders-api", "db", "queue-server", "plain", "hidden", "dependency"],
  );
  t.end();
});

t.test("a name that is given wins, and two of one name are refused, also where only variables would meet", (t) => {
  t.strictSame(nameDependencies([{ source: "/a", name: "b" }, { source: "/a" }]).map(({ name }) => name), [
    "b",
    "a",
  ]);
  const twice = [["/x/db", "/y/db"], ["/x/my.db", "/x/my-db"]];
  for (const sources of twice) {
    t.throws(() => namesOf(...sources), {
      code: "INVALID_INPUT",
      message: /two are called my-db|two are called db/,
    });
  }
  t.end();
});

t.test("variables are named in capitals", (t) => {
  t.equal(variableName("orders-api.v2"), "PTH_DEPENDENCY_ORDERS_API_V2");
  t.end();
});

t.test("values may refer to what dependencies announce, and to nothing else of that kind", (t) => {
  const announced = { PTH_DEPENDENCY_DB_URL: "http://127.0.0.1:1/mcp" };
  t.strictSame(
    expandDependencies({ A: "${PTH_DEPENDENCY_DB_URL}/x", B: "${HOME} $& ${OTHER:-1}", C: "" }, announced),
    { A: "http://127.0.0.1:1/mcp/x", B: "${HOME} $& ${OTHER:-1}", C: "" },
  );
  t.throws(
    () => expandDependencies({ A: "${PTH_DEPENDENCY_BD_URL}" }, announced),
    {
      code: "INVALID_INPUT",
      message: /Cannot set A: no dependency or service announces PTH_DEPENDENCY_BD_URL/,
    },
  );
  t.strictSame(
    expandDependencies({ A: "${PTH_SERVICE_DB_URL}" }, { PTH_SERVICE_DB_URL: "redis://h:1" }),
    { A: "redis://h:1" },
  );
  t.end();
});
