// test: timeout=180
import { join } from "node:path";
import t, { type Test } from "tap";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand, signalProcess } from "../../../src/platform/process.ts";
import { smallServer } from "../../support/small_server.ts";
import { makePlace, namesIn } from "../../support/pth_run.ts";
import { startPth } from "../../support/pth.ts";

const adds = "export const add = ({ a, b }) => a + b;\n";
const server = smallServer({
  name: "adder",
  head: `import { add } from "./add.mjs";
import { say } from "./say.mjs";`,
  tools: '["add", "say"].map((name) => ({ name, inputSchema: { type: "object" } }))',
  text: 'call.name === "say" ? say() : String(add(call.arguments))',
});
const test = (name: string, sum: number) =>
  `name: ${name}\ntool: add\ninput: { a: 2, b: 2 }\nexpect: { output_equals: "${sum}" }\n`;

/** The adder in a repository of its own, with two files of tests. */
async function makePlugin(folder: string): Promise<void> {
  await mkdir(join(folder, ".pth/tests"), { recursive: true });
  const manifest = { name: "adder", version: "1.0.0", type: "module", bin: { adder: "server.mjs" } };
  const files: Record<string, string> = {
    "package.json": JSON.stringify(manifest),
    "server.mjs": server,
    "add.mjs": adds,
    "say.mjs": 'export const say = () => "hello";\n',
    ".gitignore": "logs\n.pth/active-session.lock\n",
    ".pth/tests/first.yaml": test("first sum", 4),
    ".pth/tests/second.yaml": test("second sum", 4),
    ".pth/tests/third.yaml": "name: says\ntool: say\ninput: {}\nexpect: { output_equals: hello }\n",
  };
  for (const [path, text] of Object.entries(files)) await writeTextFile(join(folder, path), text);
  const git = (...args: string[]) => runCommand(["git", "-C", folder, ...args]);
  await git("init", "-q");
  await git("add", "-A");
  await git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "Begin");
}

/** `pth run DIR --watch`, and a way to wait for what it says next. */
async function watching(t: Pick<Test, "teardown">, ...more: string[]) {
  const place = await makePlace(t);
  const folder = join(place.folder, "adder");
  await makePlugin(folder);
  const history = { PTH_HISTORY_DIR: join(place.folder, "history") };
  const child = await startPth(["run", folder, "--watch", "--env", "host", ...more], {
    ...place.env,
    ...history,
  });
  let said = "";
  let wake = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      said += text;
      wake();
    });
  }
  t.teardown(() => signalProcess(-child.pid, "SIGKILL"));
  /** What was said up to the pattern, which must come. */
  const until = async (pattern: RegExp): Promise<string> => {
    const deadline = Date.now() + 60_000;
    for (let found = pattern.exec(said);; found = pattern.exec(said)) {
      if (found) {
        const text = said.slice(0, found.index + found[0].length);
        said = said.slice(text.length);
        return text;
      }
      if (Date.now() > deadline) throw new Error(`it never said ${pattern}, only:\n${said}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, 1000);
      });
    }
  };
  const write = (path: string, text: string) => writeTextFile(join(folder, path), text);
  return { place, folder, child, until, write, heard: () => said };
}

t.test("what changes is built and tested again until Ctrl-C; a mistake is told and waited out", async (t) => {
  const { place, folder, child, until, write, heard } = await watching(t, "--grep", " sum$");
  t.match(await until(/Watching .*\n/), "2 passed");

  await write("add.mjs", adds.replace("a + b", "a - b"));
  const broken = await until(/Waiting for changes/);
  t.match(broken, /changed: add\.mjs\n {2}2 tests: all, since it is unknown which tests need add\.mjs/);
  t.match(broken, /✗ first sum\n[^]*✗ second sum[^]*0 passed, 2 failed/);

  await write("server.mjs", "this is no JavaScript");
  const unfit = await until(/Waiting for changes/);
  t.match(unfit, /changed: server\.mjs\n {2}error [^]*SyntaxError/);

  await write("server.mjs", server + "// better\n");
  await write("add.mjs", adds);
  t.match(await until(/2 passed, 0 failed[^]*Waiting for changes/), /changed: /);

  await mkdir(join(folder, "logs"));
  await write("logs/today", "ignored");
  await write(".pth/tests/second.yaml", test("second sum", 5));
  const edited = await until(/Waiting for changes/);
  t.match(edited, /changed: \.pth\/tests\/second\.yaml\n {2}1 test: changed or new\n/);
  t.match(edited, "0 passed, 1 failed");

  await write(".pth/tests/second.yaml", "name: [");
  t.match(await until(/Waiting for changes/), /second\.yaml:1:\d+/);

  const { stdout } = await runCommand(["git", "-C", folder, "status", "--porcelain"]);
  t.same(stdout, " M .pth/tests/second.yaml\n M server.mjs\n", "PTH itself wrote nothing there");
  signalProcess(child.pid, "SIGINT");
  const { code } = await child.exited;
  t.equal(code, 130, heard());
  t.same(await namesIn(join(folder, ".pth")), ["tests"], "the lock is gone");
  t.same([
    ...await namesIn(place.env.PTH_WORKTREE_DIR),
    ...await namesIn(join(place.env.PTH_HOME, "sessions")),
  ], []);
});

t.test("with coverage a change runs the tests that reach it, and no others", async (t) => {
  const { child, until, write } = await watching(t, "--grep", "^(first sum|says)$", "--coverage");
  t.match(await until(/Watching .*\n/), "2 passed");
  await write("add.mjs", adds.replace("a + b", "b + a"));
  const round = await until(/Waiting for changes/);
  t.match(
    round,
    /changed: add\.mjs\n {2}1 test: affected by the change, according to coverage\n {2}✓ 1 passed/,
  );
  signalProcess(child.pid, "SIGINT");
  await child.exited;
});

t.test("a plugin that does not start at first is waited for", async (t) => {
  const { child, until, write, heard } = await watching(t, "--grep", " sum$", "--command", "node serve.mjs");
  // One is on stderr and the other on stdout: either may come first.
  await until(/^(?=[^]*Watching .*\n)(?=[^]*error [^]*serve\.mjs)/);
  t.match(heard(), /error [^]*serve\.mjs/);
  await write("serve.mjs", server);
  t.match(await until(/Waiting for changes/), /changed: serve\.mjs[^]*2 passed, 0 failed/);
  signalProcess(child.pid, "SIGTERM");
  t.equal((await child.exited).code, 143);
});
