// test: timeout=240
/** Tests generated from every signal of a small plugin, run by the real engine: they hold, and find what is planted. */
import { join } from "node:path";
import t from "tap";
import { copyFile, mkdir, readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { parseTests } from "../../../src/testing/format/parse.ts";
import { pth } from "../../support/pth.ts";
import { failures, fixture, makePlace, runPth, story } from "../../support/pth_run.ts";

t.setTimeout(230_000);

const server = `import { createInterface } from "node:readline";
const notes = new Map();
const mode = process.env.MODE ?? "plain";
if (mode === "strict" && !process.env.RULES) {
  console.error("strict needs RULES");
  process.exit(1);
}
const text = { type: "string" };
const tool = (name, properties) => ({
  name, description: name, inputSchema: { type: "object", properties, required: Object.keys(properties) },
});
const tools = [
  tool("keep_note", { title: text, body: text }),
  tool("show_note", { note_id: text }),
  tool("divide", { a: { type: "number" }, b: { type: "number" } }),
];

function callTool(params) {
  const { name, arguments: args } = params;
  switch (name) {
    case "keep_note": {
      if (args.title.length > 30) throw new Error("the title is too long");
      const id = \`n\${notes.size + 1}\`;
      notes.set(id, args.body);
      return say(JSON.stringify({ id, title: args.title }));
    }
    case "show_note": {
      const note = notes.get(args.note_id);
      if (note === undefined) throw new Error(\`no note \${args.note_id}\`);
      return say(note);
    }
    case "divide":
      if (args.b === 0) throw new Error("cannot divide by zero");
      return say(String(args.a / args.b));
    default:
      throw new Error("unknown tool");
  }
}
const say = (text) => ({ content: [{ type: "text", text }] });
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  ping: () => ({}),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  let answer;
  try {
    const result = method === "tools/call" ? callTool(params) : answers[method]?.(params);
    answer = result ? { result } : { error: { code: -32601, message: "no such method" } };
  } catch (error) {
    answer = { result: { isError: true, content: [{ type: "text", text: error.message }] } };
  }
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}
`;

const readme = `# notes

\`divide(a=6, b=3)\` returns \`2\`.

## A day with notes

1. Keep one: \`keep_note(title="today", body="rain")\`.
2. Calculate: \`divide 9 3\`.
`;

const manifest = {
  name: "notes",
  version: "1.0.0",
  type: "module",
  main: "server.mjs",
  pth: { config: { MODE: { enum: ["plain", "loud", "strict"], default: "plain" } } },
};

async function plugin(
  folder: string,
  change: (source: string) => string = (source) => source,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeTextFile(join(folder, "server.mjs"), change(server));
  await writeTextFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeTextFile(join(folder, "README.md"), readme);
  return folder;
}

const start = ["--env", "host", "--command", "node server.mjs", "--install", "", "--build", ""];

t.test("the tests of every signal hold on a server that keeps its word", async (t) => {
  const place = await makePlace(t);
  const folder = await plugin(join(place.folder, "plugin"));
  const ran = await runPth(place, [folder, ...start, "--generate", "all"]);
  t.equal(ran.code, 0, story(ran));
  const from = (signal: string) => ran.report.tests.filter(({ generated_from }) => generated_from === signal);
  t.same(
    from("source_analysis").map(({ name, status }) => [name, status]).sort(),
    [
      ...[29, 30, 31].map((length) => [
        `keep_note - title is "${"x".repeat(length)}"`,
        length > 30 ? "skipped" : "passed",
      ]),
      ["keep_note, show_note", "passed"],
    ].sort(),
  );
  t.same(from("documentation").map(({ status }) => status), ["passed", "passed"]);
  t.same(from("config").map(({ status, note }) => [status, note?.replace(/.*: /s, "")]), [
    ["passed", undefined],
    ["skipped", "strict needs RULES"],
  ]);
});

t.test("what the source, the README and the options promise is found broken", async (t) => {
  const place = await makePlace(t);
  const folder = await plugin(
    join(place.folder, "plugin"),
    (source) =>
      source.replace("String(args.a / args.b)", "String(args.a / args.b + 1)")
        .replace("notes.set(id, args.body);", "notes.set(id + ' ', args.body);")
        .replace('if (mode === "strict"', 'if (mode === "loud") mode.shout();\nif (mode === "strict"'),
  );
  const ran = await runPth(place, [folder, ...start, "--generate", "all"]);
  t.equal(ran.code, 1, story(ran));
  t.same(failures(ran.report).map(({ generated_from }) => generated_from).sort(), [
    "config",
    "documentation",
    "source_analysis",
  ], story(ran));
});

t.test("generating into a suite adds what is new, and leaves what a person wrote", async (t) => {
  const place = await makePlace(t);
  const folder = await plugin(join(place.folder, "plugin"));
  const file = join(place.folder, "suite.yaml");
  const title = "x".repeat(30);
  const own = `# by hand\nname: mine\ntool: keep_note\ninput: { title: ${title}, body: example } # long\n` +
    "expect: { well_behaved: true }\n";
  await writeTextFile(file, own);
  const generate = () => pth(["generate", folder, ...start, "--output", file], { env: place.env });
  const first = await generate();
  t.equal(first.code, 0, first.stderr);
  const whole = await readTextFile(file);
  t.ok(whole.startsWith(own));
  t.match(first.stderr, /source_analysis +3 +1\n/);
  const names = parseTests(file, whole).map(({ name }) => name);
  t.notOk(names.includes(`keep_note - title is "${title}"`), "known by what it does");
  const second = await generate();
  t.match(second.stderr, /Nothing new/);
  t.equal(await readTextFile(file), whole);
});

/** A copy of the Python fixture, with a change of its source. */
async function pythonPlugin(folder: string, change: (source: string) => string): Promise<string> {
  await mkdir(join(folder, "unit_converter"), { recursive: true });
  for (const file of ["unit_converter/__init__.py", "unit_converter/__main__.py"]) {
    await copyFile(join(fixture("python_server"), file), join(folder, file));
  }
  const server = await readTextFile(fixture("python_server/unit_converter/server.py"));
  await writeTextFile(join(folder, "unit_converter", "server.py"), change(server));
  return folder;
}

const runPython = ["--env", "host", "--command", "python3 -m unit_converter", "--install", "", "--build", ""];
const python = [...runPython, "--generate", "source_analysis"];

t.test("a Python server is asked what its source compares", async (t) => {
  const place = await makePlace(t);
  const folder = await pythonPlugin(join(place.folder, "plugin"), (source) => source);
  const ran = await runPth(place, [folder, ...python]);
  t.equal(ran.code, 0, story(ran));
  t.same(ran.report.tests.map(({ name, status }) => [name, status]), [
    ['convert_temperature - to is "celsius"', "passed"],
  ]);
});

t.test("a Python server whose refusal fails itself is found without its source", async (t) => {
  const place = await makePlace(t);
  const folder = await pythonPlugin(
    join(place.folder, "plugin"),
    (source) => source.replace('must be a number")', 'must be a number" + 1)'),
  );
  const ran = await runPth(place, [folder, ...runPython]);
  t.equal(ran.code, 1, story(ran));
  const broken = new Set(failures(ran.report).map(({ tool }) => tool));
  t.same([...broken], ["convert_length", "convert_temperature"], story(ran));
});

t.test("a signal that proposes nothing says so, and a run of nothing is no success", async (t) => {
  const place = await makePlace(t);
  const folder = await plugin(
    join(place.folder, "plugin"),
    (source) => source.replaceAll(/case ("\w+")/g, "case $1.trim()"),
  );
  const ran = await runPth(place, [folder, ...start, "--generate", "source_analysis"]);
  t.equal(ran.code, 2);
  t.match(ran.report.error?.message, "source_analysis gives none for this plugin");
  const generated = await pth(["generate", folder, ...start, "--from", "source_analysis"], {
    env: place.env,
  });
  t.equal(generated.code, 0, generated.stderr);
  t.match(generated.stderr, "No test from source_analysis: ");
  t.equal(generated.stdout.trim(), "");
});
