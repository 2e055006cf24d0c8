import t from "tap";
import { configDifference, differenceText } from "../../../src/plugin/declared_variables.ts";

const declared = [
  { name: "LEVEL", required: false, secret: false, default: "info", source: "package.json" },
  { name: "REGION", required: false, secret: false, source: ".env.example" },
  { name: "TOKEN", required: true, secret: true, source: "server.json", description: "From the console" },
  { name: "URL", required: true, secret: false, source: ".mcp.json" },
];

t.test("what is declared is set beside what is given, the missing first, and no value is in it", (t) => {
  const rows = configDifference(declared, {
    variables: { URL: "http://x", EXTRA: "1" },
    secrets: { OTHER: "hunter2" },
  });
  t.strictSame(rows.map(({ name, state }) => [name, state]), [
    ["TOKEN", "missing"],
    ["LEVEL", "default"],
    ["REGION", "not given, optional"],
    ["URL", "given"],
    ["EXTRA", "given, not declared"],
    ["OTHER", "given, not declared"],
  ]);
  t.equal(
    differenceText(rows).split("\n")[0],
    "TOKEN: missing (secret, server.json): From the console",
  );
  t.notMatch(JSON.stringify(rows) + differenceText(rows), /hunter2|http:/);
  t.end();
});
