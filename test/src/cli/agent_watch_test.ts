/** `pth agent test --watch` on harnesses that play what the agents' sessions come to. */
import { join } from "node:path";
import t from "tap";
import { writeTextFile } from "../../../src/platform/files.ts";
import { fixturesIn, ownHistory, pth, testText } from "./scripted_fixtures.ts";

t.test("only fixtures whose files changed run again, keys run what failed, and mistakes wait to be mended", async (t) => {
  await ownHistory(t);
  const folder = await fixturesIn(t, {
    beds: { "test_a.yaml": testText("a"), "test_b.yaml": testText("b") },
    pots: { "test_c.yaml": testText("c") },
  });
  const write = (path: string, text: string) => writeTextFile(join(folder, path), text);
  const failing = new Set(["b"]);
  const { exitCode, ran, stdout } = await pth([
    folder,
    "--workers",
    "1",
    "--watch",
    "--out",
    join(folder, "out"),
  ], {
    play: (id) => failing.has(id) ? "fail" : "pass",
    async beside({ press, until }) {
      await until(/1 failed[^]*Watching .*q: quit/);
      await write("fixtures/pots/tests/test_c.yaml", testText("c", "tags: [new]"));
      await until(/changed: fixtures\/pots\/tests\/test_c\.yaml\n {2}1 fixture: pots\n[^]*Waiting/);
      press("f");
      await until(/what failed\n {2}1 fixture: beds[^]*1 failed[^]*Waiting/);
      await write("fixtures/beds/tests/test_b.yaml", "test_id: b\n");
      await until(/test_b\.yaml:\d+:\d+ [^]*Waiting/);
      failing.clear();
      await write("fixtures/beds/tests/test_b.yaml", testText("b"));
      await until(/1 fixture: beds[^]*✓ 2 tests[^]*Waiting/);
      await write("agents.md", "of the plugin");
      await until(/2 fixtures: beds, pots[^]*Waiting/);
      press("q");
    },
  });
  t.same(ran, ["beds: a b", "pots: c", "pots: c", "beds: b", "beds: a b", "beds: a b", "pots: c"]);
  t.equal(exitCode, 0, "the latest results count");
  t.notMatch(stdout, "changed: out", "reports of the run are no change");
});

t.test("a change with a mistake that is not mended fails the watch, as does a test that failed last", async (t) => {
  await ownHistory(t);
  const folder = await fixturesIn(t, { beds: { "test_a.yaml": testText("a") } });
  const broken = await pth([folder, "--watch"], {
    async beside({ press, until }) {
      await until(/Watching/);
      await writeTextFile(join(folder, "fixtures/beds/tests/test_a.yaml"), "test_id: 1\n");
      await until(/test_a\.yaml:[^]*Waiting/);
      press("q");
    },
  });
  t.equal(broken.exitCode, 1);
  t.match((await pth([folder, "--watch", "--shard", "3/2"])).stderr, "--shard");
});
