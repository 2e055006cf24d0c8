// test: timeout=400
/**
 * One fault at a time is edited into the built sample plugin: generated tests must show each, and nothing in the
 * original. Needs Node and `npm ci`.
 */
import { join } from "node:path";
import t from "tap";
import { readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { failureKinds, failures, makePlace, root, runPth, story } from "../../support/pth_run.ts";

t.setTimeout(400_000);

interface Mutant {
  name: string;
  file: string;
  find: string;
  replace: string;
  /** "tool: category", or the name of a server test in its tool's place. */
  shows: string;
}

const connect = "await server.connect(new StdioServerTransport());";
/** Changes messages after the SDK has written them: it would mend or refuse most of these faults. */
const sending = (change: string) =>
  `const transport = new StdioServerTransport();
const send = transport.send.bind(transport);
transport.send = (message) => { ${change}; return send(message); };
await server.connect(transport);`;
const answerOf = (word: string) => `message.result?.content?.[0]?.text?.startsWith(${JSON.stringify(word)})`;

const mutants: Mutant[] = [
  {
    name: "dies on a valid call",
    file: "text_tools.js",
    find: "({ message }) => say(message)",
    replace:
      '({ message }) => { setImmediate(() => { throw new Error("the index is corrupt"); }); return new Promise(() => {}); }',
    shows: "echo: runtime-exception",
  },
  {
    name: "stops answering on a valid call",
    file: "state_tools.js",
    find: "count = 0;\n        return",
    replace:
      "count = 0;\n        for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);\n        return",
    shows: "counter: timeout",
  },
  {
    name: "malformed tools/list",
    file: "index.js",
    find: connect,
    replace: sending("if (message.result?.tools) delete message.result.tools[2].inputSchema"),
    shows: "server - lists tools that clients can read: protocol-error",
  },
  {
    name: "a schema that does not compile",
    file: "index.js",
    find: connect,
    replace: sending(
      'if (message.result?.tools) message.result.tools[0].inputSchema.properties.message.type = "text"',
    ),
    shows: "server - lists tools that clients can read: schema-violation",
  },
  {
    name: "a tool that is listed twice",
    file: "index.js",
    find: connect,
    replace: sending("if (message.result?.tools) message.result.tools.push(message.result.tools[0])"),
    shows: "server - lists tools that clients can read: protocol-error",
  },
  {
    name: "a banner on stdout",
    file: "index.js",
    find: connect,
    replace: `console.log("ready");\n${connect}`,
    shows: "server - writes nothing but the protocol on stdout: protocol-error",
  },
  {
    name: "a result without content",
    file: "index.js",
    find: connect,
    replace: sending(`if (${answerOf("Wrote ")}) delete message.result.content`),
    shows: "create_file: protocol-error",
  },
  {
    name: "output against its own schema",
    file: "index.js",
    find: connect,
    replace: sending(
      'if (message.result?.structuredContent) message.result.structuredContent.words = "some"',
    ),
    shows: "text_stats: schema-violation",
  },
  {
    name: "a leaked internal error",
    file: "number_tools.js",
    find: "sayNumber(dividend / divisor)",
    replace: "sayNumber(dividend.dividedBy(divisor))",
    shows: "divide: runtime-exception",
  },
  {
    name: "log lines on stdout",
    file: "state_tools.js",
    find: "values.set(key, value);",
    replace: "values.set(key, value); console.log(`stored ${key}`);",
    shows: "kv_set: protocol-error",
  },
  {
    name: "an answer that is no JSON-RPC",
    file: "index.js",
    find: connect,
    replace: sending(`if (${answerOf("Stored ")}) delete message.result`),
    shows: "kv_set: protocol-error",
  },
  {
    name: "ignores the end of stdin",
    file: "index.js",
    find: connect,
    replace: `${connect}\nsetInterval(() => {}, 60_000);`,
    shows: "server - ends by itself when its input ends: protocol-error",
  },
  {
    name: "leaves a process behind",
    file: "number_tools.js",
    find: "sayNumber(numbers.reduce(",
    replace:
      'import("node:child_process").then(({ spawn }) => spawn("sleep", ["300"], { detached: true, stdio: "ignore" }).unref()) && sayNumber(numbers.reduce(',
    shows: "server - leaves no process behind: unexpected-side-effect",
  },
];

const place = await makePlace(t);
const plugin = await copyFixture("sample_plugin", place.folder);
const turns = openCliTurns();
t.teardown(() => turns.close());
const judge = (...more: string[]) => {
  const command = `node '${join(plugin, "dist/index.js")}'`;
  return runPth(place, ["--command", command, "--env", "host", "--timeout", "3", ...more], {}, turns.run);
};

t.test("the original fails nothing", async (t) => {
  await mustRun(["ln", "-s", join(root, "node_modules"), join(plugin, "node_modules")]);
  await mustRun(["node", "node_modules/typescript/bin/tsc"], plugin);
  const ran = await judge();
  t.same(failures(ran.report), [], "no failure", { story: story(ran) });
  t.equal(ran.code, 0);
  t.ok(ran.report.summary.passed > 80, `${ran.report.summary.passed} passed`);
});

for (const { name, file, find, replace, shows } of mutants) {
  t.test(`shows: ${name}`, async (t) => {
    const path = join(plugin, "dist", file);
    const original = await readTextFile(path);
    t.equal(original.split(find).length, 2, `${file} has the place to change once`);
    await writeTextFile(path, original.replace(find, () => replace));
    t.teardown(() => writeTextFile(path, original));
    // The tests of the tool or of the server as a whole that are to show it; all of them take their time 13 times.
    const ran = await judge("--grep", `^${shows.split(": ")[0]!}( -|$)`);
    t.equal(ran.code, 1, "exit code", { story: story(ran) });
    t.ok(failureKinds(ran.report).includes(shows), shows, { story: story(ran) });
  });
}

async function mustRun(command: string[], cwd = place.folder): Promise<void> {
  const { code, stdout, stderr } = await runCommand(command, { cwd });
  if (code !== 0) throw new Error(`${command.join(" ")}: exited with ${code}\n${stdout}${stderr}`);
}
