import process from "node:process";
import t, { type Test } from "tap";
import { isDeno } from "../../../../src/platform/host.ts";
import { runCommand } from "../../../../src/platform/process.ts";
import { selfVersion } from "../../../../src/platform/self_version.ts";
import { openLauncher, startViewer } from "../../../../src/visualizer/live/launcher.ts";
import { until } from "./scripted_session.ts";
import { selfCommand } from "../../../../src/platform/own_files.ts";

/** A browser that keeps its cookies and goes no further by itself. */
function browser() {
  let cookie = "";
  return async (address: string, headers: Record<string, string> = {}) => {
    const response = await fetch(address, {
      redirect: "manual",
      headers: { ...headers, ...(cookie ? { cookie } : {}) },
    });
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    const text = await response.text();
    const location = response.headers.get("location");
    return { status: response.status, text, to: location === null ? "" : new URL(location, address).href };
  };
}

/** Viewers that are none: each tells numbered addresses. */
async function launcher(t: Test) {
  const started: { args: readonly string[]; lives: boolean }[] = [];
  const opened = await openLauncher(["--session", "abc"], (args) => {
    const number = started.push({ args, lives: true });
    let addresses = 0;
    return Promise.resolve({
      pid: 0,
      lives: () => started[number - 1]!.lives,
      address: () => Promise.resolve(`http://127.0.0.1:1/viewer${number}?token=${++addresses}`),
    });
  });
  t.teardown(() => opened.close());
  return { opened, started };
}

t.test("the first visit starts a viewer and leads there; further ones lead to the same", async (t) => {
  const { opened, started } = await launcher(t);
  const visit = browser();
  t.equal(started.length, 0, "nothing is started until someone comes");
  const address = opened.address();
  t.match(address, /^http:\/\/127\.0\.0\.1:\d+\/pth_\w+\/\?token=[\w-]{40,}$/);
  const first = await visit(address);
  t.match(first, { status: 303, to: new RegExp(`^${new URL("./", address).href}$`) });
  t.match(await visit(first.to), { status: 303, to: "http://127.0.0.1:1/viewer1?token=1" });
  t.equal((await visit(address)).status, 303, "a second click on the same address");
  t.match(await visit(first.to), { to: "http://127.0.0.1:1/viewer1?token=2" });
  t.match(started, [{ args: ["--session", "abc"] }]);
  started[0]!.lives = false;
  t.match(await visit(first.to), { to: "http://127.0.0.1:1/viewer2?token=1" }, "the first one has ended");
});

t.test("two clicks at once start one viewer", async (t) => {
  const { opened, started } = await launcher(t);
  const visit = browser();
  const { to } = await visit(opened.address());
  const answers = await Promise.all([visit(to), visit(to)]);
  t.equal(started.length, 1);
  t.not(answers[0]!.to, answers[1]!.to, "each with an address of its own");
});

t.test("nobody else starts one: wrong or used tokens, another name, another site, another path", async (t) => {
  const { opened, started } = await launcher(t);
  const address = opened.address();
  const here = new URL("./", address).href;
  t.equal((await browser()(here)).status, 403);
  t.equal((await browser()(`${here}?token=guessed`)).status, 403);
  const visit = browser();
  await visit(address);
  const second = await browser()(address);
  t.equal(second.status, 403);
  t.match(second.text, /pth viz/);
  t.equal((await visit(here, { origin: "https://elsewhere.example" })).status, 403);
  t.equal((await visit(`${here}elsewhere`)).status, 404);
  t.equal((await visit(new URL("/", here).href)).status, 404);
  t.strictSame(started, []);
});

t.test("a viewer that does not start is told on the page, with what it said, and tried again", async (t) => {
  const script = "console.error('no page <here>'); process.exit(3)";
  const opened = await openLauncher(
    [],
    (args) => startViewer(args, () => [process.execPath, ...evaluate(script)]),
  );
  t.teardown(() => opened.close());
  const visit = browser();
  const { to } = await visit(opened.address());
  const answer = await visit(to);
  t.equal(answer.status, 502);
  t.match(answer.text, /the viewer ended/);
  t.match(answer.text, /no page &lt;here&gt;/);
  t.equal((await visit(to)).status, 502);
});

const evaluate = (script: string) => isDeno ? ["eval", script] : ["-e", script];

t.test("a viewer gives an address when it starts, and one for each line that it is sent", async (t) => {
  const script = `
    const process = require("node:process");
    let number = 0;
    const tell = () => console.log(JSON.stringify({ address: "http://127.0.0.1:1/" + ++number }));
    tell();
    process.stdin.on("data", tell);
    process.stdin.on("end", () => process.exit(0));`;
  const command = () => [process.execPath, ...(isDeno ? ["eval", "--ext=cjs", script] : ["-e", script])];
  const viewer = await startViewer(["--session", "x"], command);
  t.teardown(() => {
    if (viewer.lives()) process.kill(viewer.pid);
  });
  const addresses = await Promise.all([viewer.address(), viewer.address(), viewer.address()]);
  t.strictSame(addresses, [1, 2, 3].map((number) => `http://127.0.0.1:1/${number}`));
  t.equal(viewer.lives(), true);
  process.kill(viewer.pid);
  await until(() => !viewer.lives());
  await t.rejects(viewer.address(), {
    code: "START_FAILED",
    message: "Cannot open the visualizer: the viewer ended",
  });
});

t.test("what tells no address is no viewer", async (t) => {
  const viewer = await startViewer([], () => [process.execPath, ...evaluate("console.log('hello')")]);
  await t.rejects(viewer.address(), { code: "START_FAILED", context: { output: "hello" } });
});

t.test("pth starts itself as it was started", async (t) => {
  const { stdout, code } = await runCommand(selfCommand("--version"));
  t.match({ code, stdout: stdout.trim() }, { code: 0, stdout: await selfVersion() });
});
