// test: timeout=300
/** `pth contract` on the sample plugin: a file, and what changed since. */
import { join } from "node:path";
import t from "tap";
import { readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { pth } from "../../support/pth.ts";

t.setTimeout(280_000);

const folder = await temporaryFolder(t);
const env = { PTH_HOME: join(folder, "home"), PTH_WORKTREE_DIR: join(folder, "worktrees") };
const plugin = await copyFixture("sample_plugin", folder, "archives");
const file = (name: string) => join(folder, name);

t.test("a snapshot is compared with a copy in which one field allows less", async (t) => {
  const taken = await pth(
    ["contract", "snapshot", "--env", "sandbox", plugin, "--output", file("old.json")],
    { env },
  );
  if (/RUNTIME_UNAVAILABLE/.test(taken.stderr)) return void t.pass("no sandbox here", { skip: taken.stderr });
  t.equal(taken.code, 0, taken.stderr);
  t.match(taken.stderr, /Contract of 10 tools written to/);
  t.equal(taken.stdout, "");

  const source = join(plugin, "src/state_tools.ts");
  const text = await readTextFile(source);
  await writeTextFile(source, text.replace(".max(10_000)", ".max(100)"));
  const compared = await pth(["contract", "diff", "--env", "sandbox", file("old.json"), plugin], { env });
  t.equal(compared.code, 1, compared.stderr);
  t.match(compared.stdout, /^breaking +limit-tightened +tools\/kv_set\/.*\n1 breaking change\n$/);

  const old = JSON.parse(await readTextFile(file("old.json")));
  const counter = old.tools.find((tool: { name: string }) => tool.name === "counter");
  counter.inputSchema.properties.label = { type: "string" };
  await writeTextFile(file("optional.json"), JSON.stringify(old));
  const optional = await pth([
    "contract",
    "diff",
    file("old.json"),
    file("optional.json"),
    "--format",
    "json",
  ]);
  t.equal(optional.code, 0, optional.stderr);
  t.match(JSON.parse(optional.stdout), {
    format: "pth-contract-diff/1",
    breaking: 0,
    changes: [{ impact: "compatible", code: "field-added" }],
  });
});

t.test("wrong use is told at once, and nothing is started", async (t) => {
  await writeTextFile(file("broken.json"), '{\n  "format": "pth-contract/1",\n  "tools": 5\n}');
  const cases: [args: string[], words: RegExp][] = [
    [["diff"], /diff needs a contract to compare with[\s\S]*target missing/],
    [["diff", file("none.json"), file("none.json")], /Cannot read contract .*none\.json/],
    [["diff", file("broken.json"), file("broken.json")], /broken\.json:3:12 tools: expected a list/],
    [["diff", "a.json", "b.json", "--format", "xml"], /--format expects one of text, json/],
    [["diff", "a.json", "b.json", "--output", "c"], /--output needs snapshot/],
    [["snapshot"], /target missing/],
    [["snapshot", plugin, "--format", "json"], /--format needs diff/],
    [["keep", plugin], /Allowed choices are snapshot, diff/],
  ];
  for (const [args, words] of cases) {
    const { code, stderr } = await pth(["contract", ...args], { env });
    t.equal(code, 2, args.join(" "));
    t.match(stderr, words);
  }
});
