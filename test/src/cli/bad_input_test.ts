import { join } from "node:path";
import t, { type Test } from "tap";
import { runCli } from "../../../src/cli/main.ts";
import { makeTempDir, removeIfExists, writeTextFile } from "../../../src/platform/files.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

const folder = await makeTempDir({ prefix: "pth-cli-test-" });
t.teardown(() => removeIfExists(folder));

/** What stderr says of `pth run x …`; nothing may have been started. */
async function refused(t: Pick<Test, "equal" | "same">, ...args: string[]): Promise<string> {
  const played = scriptedHarness();
  const kept = keptContext(played);
  t.equal(await runCli(["run", ...args], kept.context), 2, args.join(" "));
  t.same(kept.harnesses, [], "no harness was made");
  t.equal(kept.stdout(), "");
  return kept.stderr();
}

t.test("each wrong option says what it expects", async (t) => {
  const file = join(folder, "a-file");
  await writeTextFile(file, "");
  const cases: [string[], string][] = [
    [[], "target missing"],
    [["x", "y"], "arguments after -- are passed to the server"],
    [["x", "--repoter", "tap"], "Did you mean --reporter?"],
    [["x", "--reporter", "jsno"], 'did you mean "json"?'],
    [["x", "--reporter", "json:"], 'has no file after ":"'],
    [["x", "--reporter", "spec", "--reporter", "tap"], "spec and tap cannot both write to stdout"],
    [["x", "--reporter", "tap:o", "--reporter", "json:o"], "two reporters cannot both write to o"],
    [["x", "--reporter", `json:${folder}`], "it is a folder"],
    [["x", "--reporter", `json:${file}/x.json`], "is no folder"],
    [["x", "--env", "dokcer"], 'did you mean "docker"?'],
    [["x", "--env-tier", "4"], '--env-tier expects one of 1, 2, 3, not "4"'],
    [["x", "--env-tier", "3", "--env", "docker"], "docker is tier 1; give one of them"],
    [["x", "--workers", "0"], 'expects a whole number above 0, not "0"'],
    [["x", "--workers", "2.5"], "whole number"],
    [["x", "--timeout", "soon"], 'expects a number above 0, not "soon"'],
    [["x", "--retries", "-1"], 'expects a whole number from 0, not "-1"'],
    [["x", "--seed", "abc"], "expects a whole number from 0"],
    [["x", "--bail", "2", "--fail-fast"], "--fail-fast is --bail 1"],
    [["x", "--shard", "3/2"], "--shard 3/2: shards are numbered 1/2 to 2/2"],
    [["x", "--shard", "0/2"], "--shard 0/2: shards are numbered 1/2"],
    [["x", "--shard", "1/0"], "a suite has at least one shard"],
    [["x", "--shard", "half"], 'expects <index>/<count>, e.g. 2/3, not "half"'],
    [["x", "--shard", "1/2", "--shuffle"], "--shard with --shuffle needs the same --seed"],
    [["x", "--shard", "1/2", "--last-failed"], "--last-failed cannot be combined with --shard"],
    [["x", "--tier", "4"], "expects one of 1, 2, 3"],
    [["x", "--isolation", "per-test"], 'did you mean "per_test"?'],
    [["x", "--grep", "("], "--grep: Invalid regular expression"],
    [["x", "--memory", "much"], "expects megabytes, e.g. 512, 512m or 2g"],
    [["x", "--disk", "0"], "expects gigabytes"],
    [["x", "--network", "bridge"], '--network expects one of none, host, default, not "bridge"'],
    [["x", "--var", "A"], 'expects NAME=value, not "A"'],
    [["x", "--var", "1A=b"], "expects a name of letters"],
    [["x", "--secret", "PTH_NOT_THERE"], "stdin is not a terminal"],
    [["x", "--secrets-file", "nowhere"], "there is no such file"],
    [["x", "--copy", "nowhere:/x"], "does not exist"],
    [["x", "--copy", `${file}:x`], 'must begin with "/"'],
    [["x", "--command", 'node "x'], 'a " is not closed'],
    [["x", "--stately", "http://localhost:8080"], "is not a ws:// address"],
    [["x", "--stately", "wss://stately.example"], "stately.example is not this host"],
    [["x", "--url", "localhost:80"], "expects http:// or https://"],
    [["x", "--config", "nowhere.yaml"], "there is no such file"],
    [["x", "--tests", "nowhere"], "there is no file or folder nowhere"],
    [["x", "--output", file], "is no folder"],
    [["x", "--record", folder], "it is a folder"],
    [["x", "--image", "../../containers/json?all=1"], "--image: expected a registry"],
    [["x", "--image", "a@sha256:12"], '--image: expected a digest after "@"'],
  ];
  for (const [args, expected] of cases) t.match(await refused(t, ...args), expected);
});

t.test("every problem is told at once", async (t) => {
  const text = await refused(t, "--env", "moon", "--timeout", "-1", "--reporter", "no");
  t.match(text, "Cannot run: 4 problems");
  for (const part of ["--env", "--timeout", "--reporter", "target missing"]) t.match(text, `- ${part}`);
});

t.test("a config file is refused with line and column of each mistake", async (t) => {
  const file = join(folder, "env.yaml");
  await writeTextFile(
    file,
    [
      "runtim: docker",
      "tier: 7",
      "base_image: x/../../containers",
      "resources:",
      "  cpus: many",
      "  memory: 5",
      "fixtures:",
      "  files:",
      "    - path: /x",
      "      content: hi",
      '      mode: "99"',
      "",
    ].join("\n"),
  );
  const text = await refused(t, "x", "--config", file);
  t.match(text, `${file}:1:1 "runtim" is not known here (did you mean "runtime"?)`);
  t.match(text, `${file}:2:7 tier: expected`);
  t.match(text, `${file}:3:13 base_image: expected an image`);
  t.match(text, `${file}:5:9 resources.cpus: expected a number, got "many"`);
  t.match(text, `${file}:6:3 "memory" is not known here (did you mean "memory_mb"?)`);
  t.match(text, `${file}:11:13 fixtures.files[0].mode: expected octal`);
});

t.test("a config file that is no YAML, or no map, says where", async (t) => {
  const file = join(folder, "broken.yaml");
  await writeTextFile(file, "runtime: [docker\n");
  t.match(await refused(t, "x", "--config", file), new RegExp(`${file}:\\d+:\\d+ not valid YAML`));
  await writeTextFile(file, "- runtime\n");
  t.match(await refused(t, "x", "--config", file), `${file}:1:1 expected a map`);
});

t.test("test files are read before anything starts, secrets files name lines but no values", async (t) => {
  const tests = join(folder, "t.yaml");
  await writeTextFile(tests, "name: x\ntool: echo\nexpect: { output_contian: hi }\n");
  const text = await refused(t, "x", "--tests", tests);
  t.match(text, `${tests}:3:`);
  const secrets = join(folder, ".secrets");
  await writeTextFile(secrets, "# mine\nexport TOKEN='abc def'\nhunter2\n");
  const refusal = await refused(t, "x", "--secrets-file", secrets);
  t.match(refusal, `${secrets}:3:1 expected NAME=value`);
  t.notMatch(refusal, "hunter2");
});
