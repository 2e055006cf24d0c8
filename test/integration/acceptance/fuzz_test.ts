// test: timeout=600
/** The fuzzer finds, shrinks and saves each planted fault from a seed; each saved test fails the same way by itself. */
import { join } from "node:path";
import t, { type Test } from "tap";
import { readTextFile } from "../../../src/platform/files.ts";
import { splitCommand } from "../../../src/cli/options/split_command.ts";
import { parseTests } from "../../../src/testing/format/parse.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { pth } from "../../support/pth.ts";
import { openSessionClient } from "../../support/session_client.ts";
import {
  failureKinds,
  fixture,
  makePlace,
  namesIn,
  type Place,
  runPth,
  story,
} from "../../support/pth_run.ts";
import { readiness } from "../../support/readiness.ts";

t.setTimeout(600_000);
const { sandbox } = await readiness();
const turns = openCliTurns();
t.teardown(() => turns.close());

/** The written tests, by file. */
async function written(folder: string): Promise<Record<string, string>> {
  const names = await namesIn(folder);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readTextFile(join(folder, name))])),
  );
}

const inputs = (files: Record<string, string>): Record<string, unknown> =>
  Object.fromEntries(
    Object.values(files).flatMap((text) => parseTests("found.yaml", text)).map(({ tool, input }) => [
      tool!,
      input,
    ]),
  );

async function fuzz(t: Test, place: Place, plugin: string, output: string, more: string[] = []) {
  const command = ["fuzz", plugin, "--env", "sandbox", "--seed", "7", "--timeout", "1", "--output", output];
  const ran = await turns.run([...command, ...more], { env: place.env });
  t.equal(ran.code, 1, "exit code", { stdout: ran.stdout, stderr: ran.stderr });
  return { ...ran, files: await written(output) };
}

t.test(
  "each fault of the broken plugin is found, made small and fails again",
  { skip: sandbox },
  async (t) => {
    const place = await makePlace(t);
    const plugin = await copyFixture("broken_plugin", place.folder, "vendor");
    const output = join(place.folder, "found");
    const { stdout, files } = await fuzz(t, place, plugin, output, ["--runs", "20"]);
    t.same(inputs(files), {
      crash_on_call: { text: "" },
      missing_import: { text: "" },
      never_answers: { text: "" },
      wrong_output: { text: "" },
    });
    for (const said of ["✗ crash_on_call: crash [runtime-exception]", "✗ never_answers: hang [timeout]"]) {
      t.match(stdout, said);
    }
    t.match(stdout, /again: pth run .*--tests .*crash_on_call-crash-\w+\.yaml/);
    const again = await runPth(place, [plugin, "--env", "sandbox", "--tests", output], {}, turns.run);
    t.same(
      failureKinds(again.report),
      [
        "crash_on_call: runtime-exception",
        "missing_import: dependency-error",
        "never_answers: timeout",
        "wrong_output: schema-violation",
      ],
      "the same kinds of failure",
      { story: story(again) },
    );
  },
);

t.test("faults that only some inputs bring out are found, the same again from the same seed", {
  skip: sandbox,
}, async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("fuzz_plugin", place.folder);
  const output = join(place.folder, "found");
  const { stdout, files } = await fuzz(t, place, plugin, output, ["--runs", "50", "--exclude-destructive"]);
  const { undefined: _scenario, ...single } = inputs(files);
  t.same(single, {
    quote: { text: '"' },
    countdown: { from: -1 },
    average: { numbers: [] },
    convert: { degrees: 0, unit: "kelvin" },
    greet: { name: "é" },
  });
  const scenario = Object.values(files).flatMap((text) => parseTests("found.yaml", text)).find(({ steps }) =>
    steps
  );
  const pop = { kind: "call", tool: "stack", input: { action: "pop" } };
  t.same(scenario?.steps?.map(({ action }) => action), [pop, pop], "the second pop needs the first");
  t.match(stdout, /call 1: stack \{"action":"pop"\}/);
  t.match(stdout, /✗ remember: memory_growth/);
  t.match(stdout, /~ dice: non_determinism \[finding\]/);
  t.match(stdout, 'Excluded: wipe_all (its name says "wipe")');
  t.notMatch(stdout, /[✗~] shout/, "the healthy tool has no find");
  const again = await runPth(place, [plugin, "--env", "sandbox", "--tests", output], {}, turns.run);
  t.same(
    failureKinds(again.report),
    [
      "average: runtime-exception",
      "convert: schema-violation",
      "countdown: timeout",
      "greet: protocol-error",
      "quote: runtime-exception",
      `${scenario?.name}: runtime-exception`,
    ],
    "the same kinds of failure",
    { story: story(again) },
  );
  const second = join(place.folder, "second");
  const only = ["--runs", "50", "--tool", "quote", "--tool", "average", "--tool", "wipe_all"];
  const repeated = await fuzz(t, place, plugin, second, only);
  const chosen = (found: typeof files) =>
    Object.fromEntries(Object.entries(found).filter(([name]) => /^(?:quote|average)-/.test(name)));
  t.same(chosen(repeated.files), chosen(files), "byte for byte");
  t.match(repeated.stdout, "✗ wipe_all: crash", "in a sandbox what destroys is called, too");
});

t.test("the line that is told repeats the search, with the server's arguments and variables", {
  skip: sandbox,
}, async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("fuzz_plugin", place.folder);
  const output = join(place.folder, "it's found");
  const options = [
    "--env",
    "sandbox",
    "--tool",
    "shout",
    "--runs",
    "30",
    "--var",
    "LONGEST=3",
    "--output",
    output,
  ];
  const search = async (words: string[]) => {
    const { code, stdout } = await turns.run(words, { env: place.env });
    t.equal(code, 1, stdout);
    const [again] = /(?<=^again: pth ).*$/m.exec(stdout) ?? [];
    return {
      again,
      finds: stdout.split("\n").filter((line) => /^✗| input: /.test(line)),
      files: await written(output),
    };
  };
  const first = await search(["fuzz", plugin, ...options, "--", "--strict text"]);
  t.same(first.finds, ["✗ shout: crash [runtime-exception]", '    input: {"text":"aaaa"}']);
  t.match(first.again, /--seed \d+/);
  const again = await search(splitCommand(first.again ?? ""));
  t.same(again, first);
});

t.test(
  "over MCP the tests join the session, and pass once the fault is mended",
  { skip: sandbox },
  async (t) => {
    const client = await openSessionClient(t);
    const [server, manifest] = await Promise.all(
      ["index.mjs", "package.json"].map((name) => readTextFile(join(fixture("fuzz_plugin"), name))),
    );
    if (!await client.begin(t, { "index.mjs": server!, "package.json": manifest! }, "sandbox")) return;
    const found = await client.succeed(t, "pth_fuzz_tools", { tools: ["quote"], seed: 7 });
    const [find] = found.data.finds as { test: string; file: string; input: unknown }[];
    t.match(find, {
      oracle: "crash",
      input: { text: '"' },
      confirmed: true,
      file: /\.pth\/tests\/fuzz\/quote-crash-/,
    });
    t.match(found.text, `pth_run_test({ id: "${find!.test}" })`);
    const status = async () => {
      const { data } = await client.succeed(t, "pth_run_test", { id: find!.test });
      return (data.result as { status: string }).status;
    };
    t.equal(await status(), "failed");
    await client.succeed(t, "pth_apply_fix", {
      tests: [find!.test],
      category: "runtime-exception",
      title: "Quote texts that hold quotes",
      edits: [{
        path: "index.mjs",
        find: "if (text.includes('\"')) {",
        replace: "if (text === undefined) {",
      }],
      reload: true,
    });
    t.equal(await status(), "passed");
    const refused = await client.call("pth_fuzz_tools", { tools: ["kwote"] });
    t.match(refused, { isError: true, text: /the plugin lists no such tool \[NO_SUCH_TOOL\]/ });
    await client.succeed(t, "pth_end_session");
  },
);

t.test("what is typed wrong is told at once, and nothing is started", async (t) => {
  const { code, stderr } = await pth(["fuzz", fixture("fuzz_plugin"), "--seed", "x", "--runs", "0"]);
  t.equal(code, 2);
  t.match(stderr, '--seed expects a whole number, not "x"');
  t.match(stderr, '--runs expects a whole number above 0, not "0"');
});
