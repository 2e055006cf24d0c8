// test: timeout=120
/** `pth call` and `pth inspect` on servers on the host: answers, errors, and which stream and exit code each has. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { fixture, makePlace, root } from "../../support/pth_run.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());
const { env, folder } = await makePlace(t);
const notes = await copyFixture("planted_faults/plain", folder);
await mkdir(join(notes, ".pth/tests"), { recursive: true });
await writeFile(join(notes, ".pth/tests/broken.yaml"), "name: [\n");
const faulty = (
  fault: string,
) => ["--command", `node ${fixture("faulty_servers/faulty.mjs")} --fault ${fault}`];

const pth = (command: string, ...args: string[]) => turns.run([command, "--env", "host", ...args], { env });

t.test("the answer alone is on stdout; numbers and booleans are read by the schema, and mistakes in tests do not matter", async (t) => {
  const { code, stdout } = await pth("call", notes, "describe_note", "number=2", "long=true");
  t.equal(stdout, "Note 2 has 2 words: call Ada\n");
  t.equal(code, 0);
});

t.test("an error of the tool is exit 1 and stands on stderr", async (t) => {
  const { code, stdout, stderr } = await pth("call", notes, "read_note", "number=9");
  t.equal(code, 1);
  t.equal(stdout, "");
  t.match(
    stderr,
    /read_note answered isError after .*\nnumber must be of type integer and within its limits\n/,
  );
});

t.test("a wrong key, a missing one and an unknown tool are exit 2, with what was meant", async (t) => {
  const key = await pth("call", notes, "read_note", "numbr=1");
  t.equal(key.code, 2);
  t.match(key.stderr, /unknown key "numbr" \(did you mean "number"\?\); "number" is missing/);
  t.match(key.stderr, "Usage: pth call <target> read_note number=<integer>");
  const tool = await pth("call", notes, "raed_note", "number=1");
  t.equal(tool.code, 2);
  t.match(tool.stderr, /Cannot call raed_note: no such tool \(did you mean "read_note"\?\)/);
  const words = await pth("call", notes);
  t.equal(words.code, 2);
  t.match(words.stderr, "tool missing: pth inspect <target> lists them");
  t.notMatch(words.stderr, "provision");
});

t.test("a server by its command: a breach of the output schema and a lost server are no success", async (t) => {
  const breach = await pth("call", ...faulty("output_schema_breach"), "act", "--json");
  t.equal(breach.code, 1, breach.stderr);
  t.match(JSON.parse(breach.stdout), {
    tool: "act",
    isError: false,
    violations: [{ kind: "output_schema" }],
  });
  const lost = await pth("call", ...faulty("dies_on_call"), "act", "{}");
  t.equal(lost.code, 3, lost.stderr);
  t.equal(lost.stdout, "");
  t.match(lost.stderr, /exited with (code )?7/);
});

t.test("inspect lists tools with their fields, prompts and resources, or all as a contract", async (t) => {
  const server = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const { code, stdout } = await pth("inspect", "--command", `node ${server}`);
  t.equal(code, 0);
  t.match(stdout, /^mcp-servers\/everything .*, protocol .*, capabilities: tools, prompts, resources/);
  t.match(stdout, "\n    a*: number  First number\n");
  t.match(stdout, "\n  args-prompt(city, state?): A prompt with two arguments");
  t.match(stdout, /\n\d+ resources\n {2}demo:\/\//);
  t.match(stdout, /\n\d+ resource templates\n {2}demo:\/\//);
  const surface = JSON.parse((await pth("inspect", notes, "--json")).stdout);
  t.equal(surface.format, "pth-contract/1");
  t.equal(surface.tools.length, 6);
});
