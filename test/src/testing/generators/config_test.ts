/** Tests from the options that a plugin declares. */
import t from "tap";
import { textSources } from "../../../../src/plugin/plugin_sources.ts";
import { declaredVariables } from "../../../../src/plugin/declared_variables.ts";
import { folderOf } from "../../../../src/plugin/readable_folder.ts";
import config from "../../../../src/testing/generators/config.ts";

const options = {
  LOG_LEVEL: { enum: ["debug", "info", "warn"], default: "info" },
  CACHE: { type: "boolean" },
  PORTS: { type: "number", min: 1, max: 9 },
  API_KEY: { enum: ["a", "b"] },
  NAME: { type: "string" },
};
const material = {
  tools: [],
  sources: textSources({}),
  documents: () => Promise.resolve([]),
  options: () =>
    declaredVariables(folderOf({ "package.json": JSON.stringify({ pth: { config: options } }) })),
};

t.test("each value that an option may have, but the usual one, is a start of the server", async (t) => {
  const { tests } = await config.generate(material, {});
  t.same(tests.map(({ config }) => config), [
    { LOG_LEVEL: "debug" },
    { LOG_LEVEL: "warn" },
    { CACHE: "true" },
    { CACHE: "false" },
    { PORTS: "1" },
    { PORTS: "9" },
  ], "never a secret, never a text without limits");
  t.match(tests[0], {
    check: "tools_list",
    name: "server - starts with LOG_LEVEL = debug",
    generatedFrom: "config",
    origin: "package.json: LOG_LEVEL may be debug",
  });
});

t.test("tests for certain tools say nothing about options", async (t) => {
  t.same((await config.generate(material, { tools: ["x"] })).tests, []);
});
