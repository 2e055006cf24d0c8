/** Fixtures that changed files are about. */
import t from "tap";
import { affectedFixtures } from "../../../../src/agent_fixtures/run/affected_fixtures.ts";

const fixture = (name: string, plugin: string) => ({ name, description: "", plugin, tests: [] });
const origin = (folder: string, ...reads: string[]) => ({ folder, reads: new Set(reads) });
const read = {
  root: "/garden",
  fixtures: [
    fixture("beds", "/garden/plugin"),
    fixture("pots", "/garden/plugin"),
    fixture("weeds", "/garden/other"),
  ],
  origins: new Map([
    ["beds", origin("plugin/fixtures/beds", "shared/config.yaml", "plugin/books")],
    ["pots", origin("plugin/fixtures/pots", "shared/config.yaml")],
    ["weeds", origin("fixtures/weeds")],
  ]),
};
const affected = (...paths: string[]) => [...affectedFixtures(paths, read)].sort();

t.test("a file is about the fixture that holds it, those that name it, or those of its plugin", (t) => {
  t.same(affected("plugin/fixtures/beds/tests/test_a.yaml"), ["beds"]);
  t.same(
    affected("plugin/fixtures/beds-old/x"),
    ["beds", "pots"],
    "the name of another folder that begins alike",
  );
  t.same(affected("shared/config.yaml"), ["beds", "pots"]);
  t.same(affected("plugin/books/a.yaml"), ["beds"], "a folder that tests name");
  t.same(affected("plugin/skills/press/SKILL.md"), ["beds", "pots"]);
  t.same(affected("other/server.mjs", "fixtures/weeds/data/x"), ["weeds"]);
  t.same(affected("README.md"), []);
  t.end();
});
