// test: timeout=300
/** Wrong input through the front door: one clear error, the right exit code, what to do next, and nothing left behind. */
import { createServer } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { mkdir, pathExists, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { environmentsIn, fixture, makePlace, namesIn, type Place } from "../../support/pth_run.ts";
import { readiness } from "../../support/readiness.ts";
import { pth } from "../../support/pth.ts";

const skips = await readiness();
const faulty = (
  fault: string,
) => ["--command", `node ${fixture("faulty_servers/faulty.mjs")} --fault ${fault}`];
const deadEngine = { DOCKER_HOST: "unix:///nowhere/engine.sock" };

interface Case {
  args: string[];
  code: number;
  /** Each must be in what the run says. */
  says: (string | RegExp)[];
  files?: Record<string, string>;
  env?: Record<string, string>;
}

/** Runs in the checkout of a plugin under git, and looks at what is left of the run. */
async function check(
  t: Test,
  { args, code, says, files = {}, env = {} }: Case,
  place?: Place,
): Promise<void> {
  const own = place ?? await makePlace(t);
  const plugin = join(own.folder, "plugin");
  await makePlugin(plugin, files);
  const before = await stateOf(own, plugin);
  const result = await pth(["run", ...args.map((word) => word.replace("PLUGIN", plugin))], {
    env: { ...own.env, ...env },
  });
  const said = result.stdout + result.stderr;
  t.equal(result.code, code, said);
  for (const words of says) t.match(said, words);
  t.notMatch(said, "Unexpected error");
  t.equal(result.stderr.match(/^error /gm)?.length ?? 0, code === 1 ? 0 : 1, "one error");
  t.same(await stateOf(own, plugin), before, "nothing is left behind");
}

async function makePlugin(plugin: string, files: Record<string, string>): Promise<void> {
  await mkdir(plugin, { recursive: true });
  for (const [name, text] of Object.entries({ "README.md": "A plugin.\n", ...files })) {
    await writeTextFile(join(plugin, name), text);
  }
  const git = (...words: string[]) =>
    runCommand(["git", "-c", "user.name=t", "-c", "user.email=t@t.test", ...words], { cwd: plugin });
  await git("init", "-q");
  await git("add", "-A");
  await git("commit", "-q", "-m", "first");
}

/** Worktrees, branches, the checkout, registers, places of environments, and processes that carry this place's path. */
async function stateOf({ folder, env }: Place, plugin: string): Promise<Record<string, unknown>> {
  for (const kind of ["boxes", "hosts"] as const) await environmentsIn(env.PTH_HOME, kind);
  const lines = async (words: string[]) => (await runCommand(words)).stdout.trim().split("\n").sort();
  const { stdout } = await runCommand(["ps", "-eo", "args"]);
  return {
    worktrees: [await namesIn(env.PTH_WORKTREE_DIR), await lines(["git", "-C", plugin, "worktree", "list"])],
    branches: await lines(["git", "-C", plugin, "for-each-ref"]),
    checkout: await lines(["find", plugin, "-not", "-path", "*/.git/*"]),
    registers: await Promise.all(
      ["sessions", "hosts", "boxes"].map((kind) => namesIn(join(env.PTH_HOME, kind))),
    ),
    processes: stdout.split("\n").filter((line) => line.includes(folder)),
  };
}

const badBuild = JSON.stringify({
  name: "p",
  version: "1.0.0",
  main: "x.js",
  scripts: { build: "echo compiling; echo 'x.ts(3,5): error TS2322: no' >&2; exit 2" },
});

const cases: Record<string, Case> = {
  "a target that is not there": { args: ["./no-such-plugin"], code: 2, says: ["no such folder", "Next:"] },
  "a folder without anything to build or start": {
    args: ["PLUGIN", "--env", "host"],
    code: 3,
    says: ["Cannot tell how to build or start", "--build", "--command"],
  },
  "a build that fails": {
    args: ["PLUGIN", "--env", "host", "--install", ""],
    files: { "package.json": badBuild },
    code: 3,
    says: ["exited with 2: x.ts(3,5): error TS2322", "compiling", "--build"],
  },
  "a server that exits before it answers": {
    args: [...faulty("exits_before_initialize"), "--env", "host"],
    code: 3,
    says: ["exited with 3 before initialize", "STORE_URL is not set", "Run it by hand"],
  },
  "garbage on stdout": {
    args: [...faulty("garbage_on_stdout"), "--env", "host"],
    code: 1,
    says: ["lines on stdout that are no JSON-RPC", "[info] initialize"],
  },
  "huge output": {
    args: [...faulty("huge_output"), "--env", "host", "--grep", "^act"],
    code: 1,
    says: ["one line exceeds 67108864 bytes"],
  },
  "a schema that does not compile": {
    args: [...faulty("invalid_schema"), "--env", "host"],
    code: 1,
    says: ["tools/list is malformed", "act: inputSchema"],
  },
  "two tools of one name": {
    args: [...faulty("duplicate_tools"), "--env", "host"],
    code: 1,
    says: ["act: name: 2 tools have it"],
  },
  "an engine that is down": {
    args: [...faulty("none"), "--env", "docker"],
    env: deadEngine,
    code: 3,
    says: ["no engine answers at unix:///nowhere/engine.sock", "--env sandbox"],
  },
  "a filter that matches nothing": {
    args: [...faulty("none"), "--env", "host", "--grep", "no such test"],
    code: 2,
    says: ['grep "no such test"', "Names that exist: "],
  },
};

for (const [name, each] of Object.entries(cases)) t.test(name, (t) => check(t, each));

t.test("an image that nobody built", { skip: skips.docker }, async (t) => {
  const args = [...faulty("none"), "--env", "docker", "--image", "debain12"];
  await check(t, { args, code: 3, says: ["has no image debain12", "Did you mean debian12?"] });
});

t.test("an image that is nowhere is never exchanged for the host as it is", async (t) => {
  const server = faulty("none");
  const missing = "no runtime for tier 1 is ready with image debain12";
  await check(t, { args: [...server, "--image", "debain12"], code: 3, says: [missing, "debian12"] });
  const args = [...server, "--env", "host", "--image", "debian13"];
  await check(t, { args, code: 2, says: ["Cannot use host: it has no image debian13", "--env host"] });
});

t.test("a disk limit that is too small", { skip: skips.sandbox }, async (t) => {
  const build = "dd if=/dev/zero of=/tmp/x bs=1M count=50";
  const args = ["PLUGIN", "--env", "sandbox", "--disk", "20m", "--build", build, "--command", "true"];
  await check(t, { args, code: 3, says: ["No space left on device", "disk is full"] });
});

t.test("a test file with many mistakes: all at once, and nothing is started", async (t) => {
  const tests = [
    "name: a\ntool: echo\nexpects: {}",
    "name: b\ntol: echo",
    "name: c\ntool: echo\ncheck: tools_list",
    "name: d\ntool: echo\ntimeout_seconds: -1",
    "name: e\ntool: echo\ntier: 7",
    'name: f\ntool: echo\nexpect: { output_matches: "(" }',
    "name: g\ntool: echo\nexpect: { output_containz: x }",
    "name: h\ncheck: no_such_check",
    "tool: echo",
    "name: j\nname: k\ntool: echo",
  ].join("\n---\n");
  const place = await makePlace(t);
  const file = join(place.folder, "ten.yaml");
  await writeTextFile(file, tests);
  const says = [
    `${file}:3:1 unknown key "expects"`,
    'did you mean "tool"',
    /ten\.yaml:\d+:1 this key is given twice/,
  ];
  await check(t, { args: [...faulty("none"), "--env", "host", "--tests", file], code: 2, says }, place);
  t.notOk(await pathExists(place.env.PTH_HOME), "nothing was started");
});

t.test("a port that someone else holds is told, and their server is left alone", async (t) => {
  const holder = createServer((socket) => socket.end("HTTP/1.1 404 no\r\n\r\n"));
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  t.teardown(() => holder.close());
  const { port } = holder.address() as { port: number };
  const args = ["--command", "sleep 60", "--url", `http://127.0.0.1:${port}/mcp`, "--env", "host"];
  await check(t, {
    args,
    code: 3,
    says: [`port ${port}: something else listens there`, "{port} in the url"],
  });
});
