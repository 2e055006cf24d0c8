// test: timeout=300
/** Starts a fresh marketplace install by scripts/mcp.sh: the sources alone, nothing installed. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import {
  copyFile,
  makeTempDir,
  mkdir,
  pathExists,
  readTextFile,
  removeIfExists,
  writeTextFile,
} from "../../../src/platform/files.ts";
import { readEnv } from "../../../src/platform/host.ts";
import { runCommand, signalProcess } from "../../../src/platform/process.ts";
import { type InstalledServer, startInstalled } from "./installed_server.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
t.setTimeout(280_000);

/** The repository's files as git would give them, without the tests, in a folder outside of it. */
async function freshCopy(t: Test): Promise<string> {
  const folder = await makeTempDir({ prefix: "pth-plugin-" });
  t.teardown(() => removeIfExists(folder));
  const listed = await runCommand(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
  });
  for (const path of listed.stdout.split("\0")) {
    if (path === "" || path.startsWith("test/") || !(await pathExists(join(root, path)))) continue;
    await mkdir(join(folder, path, ".."), { recursive: true });
    await copyFile(join(root, path), join(folder, path));
  }
  return folder;
}

/** A PATH on which npm reaches no registry and has no cache for as long as the file `offline` is there. */
async function breakableNpm(t: Test): Promise<{ path: { PATH: string }; mend(): Promise<void> }> {
  const folder = t.testdir({ offline: "", bin: {} });
  const npm = (await runCommand(["sh", "-c", "command -v npm"])).stdout.trim();
  const nowhere = `--registry=http://127.0.0.1:9/ --fetch-retries=0 --cache=${folder}/cache`;
  await writeTextFile(
    join(folder, "bin/npm"),
    `#!/bin/sh\n[ -e "${folder}/offline" ] && exec "${npm}" "$@" ${nowhere}\nexec "${npm}" "$@"\n`,
  );
  await runCommand(["chmod", "+x", join(folder, "bin/npm")]);
  return {
    path: { PATH: `${join(folder, "bin")}:${readEnv("PATH")}` },
    mend: () => removeIfExists(join(folder, "offline")),
  };
}

/** A PATH on which `npm ci` links the packages of this checkout, where it can: for what is not about fetching them. */
async function npmOfCheckout(t: Test): Promise<{ PATH: string }> {
  const folder = t.testdir({});
  const npm = (await runCommand(["sh", "-c", "command -v npm"])).stdout.trim();
  await writeTextFile(
    join(folder, "npm"),
    `#!/bin/sh\n[ "$1" = ci ] && cp -al "${root}node_modules" . && exit\nexec "${npm}" "$@"\n`,
  );
  await runCommand(["chmod", "+x", join(folder, "npm")]);
  return { PATH: `${folder}:${readEnv("PATH")}` };
}

const text = (answer: Record<string, unknown>): string =>
  (answer["result"] as { content: { text: string }[] }).content[0]!.text;

const isError = (answer: Record<string, unknown>): unknown =>
  (answer["result"] as { isError?: boolean }).isError;

/** Calls without asking for progress, again for as long as it is told to. */
async function callPatiently(server: InstalledServer): Promise<Record<string, unknown>> {
  const answer = await server.call("pth_preflight");
  if (!text(answer).includes("Call it again in a minute")) return answer;
  return await callPatiently(server);
}

/** Names that an installation leaves beside the sources. */
const made = async (folder: string): Promise<string[]> => (await readdir(join(folder, ".installed"))).sort();

async function megabytes(folder: string): Promise<number> {
  return Number((await runCommand(["du", "-sm", folder])).stdout.split("\t")[0]);
}

async function greeted(t: Test, server: InstalledServer): Promise<void> {
  const hello = await server.initialize();
  t.match(hello, { result: { serverInfo: { name: "pth" } } });
  const listed = await server.request("tools/list");
  t.match(listed, { result: { tools: [{ name: "pth_preflight" }, {}, { name: "pth_start_session" }] } });
}

t.test("a first start answers at once, tells what fails, and mends itself at the next call", async (t) => {
  const folder = await freshCopy(t);
  await mkdir(join(folder, "node_modules/mine"), { recursive: true });
  const npm = await breakableNpm(t);
  const first = await startInstalled(t, folder, npm.path);
  const started = performance.now();
  await greeted(t, first);
  // 0.1 s on a quiet machine, where an installation takes ten.
  t.ok(performance.now() - started < 4000, `listed after ${Math.round(performance.now() - started)} ms`);

  const failed = await callPatiently(first);
  t.equal(isError(failed), true);
  t.match(text(failed), /^Cannot run pth_preflight: installing PTH failed: npm ci exited with \d+\n/);
  t.match(text(failed), /ECONNREFUSED/, "the end of the log");
  t.match(text(failed), /Next:\n- Mend .* then call again/);
  t.same(await made(folder), ["install.log", "state.json"], "no packages are left");

  await npm.mend();
  // Two at once: one installs, both are served.
  const second = await startInstalled(t, folder, npm.path);
  await greeted(t, second);
  const steps: string[] = [];
  const answers = await Promise.all([
    first.call("pth_preflight", {}, (step) => steps.push(step.message)),
    callPatiently(second),
  ]);
  for (const answer of answers) t.match(text(answer), /runtime host/, "from the server proper");
  t.match(steps[0], /^Installing PTH, once: .* \(since \d+ s\)$/);
  t.ok(steps.some((step) => / [1-9]\d* of \d+ /.test(step)), `counts what npm has: ${steps.join("; ")}`);
  t.equal(first.unasked.length, 0, "each request was answered once");
  t.equal((await made(folder)).length, 2, `a bundle and a log: ${await made(folder)}`);
  const size = await megabytes(folder);
  t.ok(size < 120, `${size} MB with the sources and what looking at the machine has fetched`);
  t.ok(await pathExists(join(folder, "node_modules/mine")), "packages of somebody else are left alone");
  t.equal(await first.end(), 0, "ends when its stdin ends");
  t.equal(await second.end(), 0);

  const later = await startInstalled(t, folder, npm.path);
  await greeted(t, later);
  t.equal(await later.end(), 0);
  t.equal(later.stderr(), "", "nothing is installed again");
});

t.test("changed sources are installed anew, also after an installer was killed in the middle", async (t) => {
  const folder = await freshCopy(t);
  const path = await npmOfCheckout(t);
  // What an earlier version installed.
  await mkdir(join(folder, "node_modules"));
  await writeTextFile(join(folder, "node_modules/.pth-bootstrapped"), "");
  await writeDeno(folder, "exit 9");
  const left = await startInstalled(t, folder, path);
  await left.initialize();
  const state = await installerState(folder);
  t.equal(await left.end(), 0, "a client that hangs up waits for nothing");
  t.ok(signalProcess(state.pid, "SIGKILL"), "the installer goes on without it");

  const source = join(folder, "src/server/initialize_result.ts");
  await writeTextFile(source, (await readTextFile(source)).replace("PTH tests", "The new PTH tests"));
  const next = await startInstalled(t, folder, path);
  await next.initialize();
  t.match(text(await callPatiently(next)), /runtime host/);
  t.equal(await next.end(), 0);
  t.same((await made(folder)).filter((name) => name.startsWith("staging")), [], "nothing half-done is left");
  t.same(await readdir(join(folder, "node_modules")), [], "nor what an earlier version installed");
  t.notOk(await pathExists(join(folder, "scripts/deno/node_modules")));

  const updated = await startInstalled(t, folder, path);
  t.match(await updated.initialize(), { result: { instructions: /^The new PTH tests/ } });
  t.equal(await updated.end(), 0);
});

/** Waits for the installer's first word. */
async function installerState(folder: string): Promise<{ pid: number }> {
  const file = join(folder, ".installed/state.json");
  // It is there before it is filled.
  while (!(await pathExists(file)) || await readTextFile(file) === "") {
    await new Promise((done) => setTimeout(done, 20));
  }
  return JSON.parse(await readTextFile(file));
}

t.test("without npm, and in a folder that cannot be written to, the call says so", async (t) => {
  const folder = await freshCopy(t);
  const path = t.testdir({});
  for (const tool of ["sh", "dirname", "node"]) await linkTool(tool, path);
  const server = await startInstalled(t, folder, { PATH: path });
  await greeted(t, server);
  t.match(text(await server.call("pth_preflight")), /installing PTH failed: npm is not on PATH/);
  const { pid } = await installerState(folder);
  for (let waited = 0; signalProcess(pid, 0) && waited < 5000; waited += 50) {
    await new Promise((done) => setTimeout(done, 50));
  }
  t.notOk(signalProcess(pid, 0), "no installer is left");
  await server.end();

  // A file in its place, and a link to nowhere: root may write to every folder.
  for (const block of [["touch"], ["ln", "-s", "/nowhere/at/all"]]) {
    await removeIfExists(join(folder, ".installed"));
    await runCommand([...block, join(folder, ".installed")]);
    const blocked = await startInstalled(t, folder);
    await greeted(t, blocked);
    t.match(text(await blocked.call("pth_preflight")), /installing PTH failed: .*\.installed/);
    await blocked.end();
  }
});

t.test("without Node it says what to install, on stderr", async (t) => {
  const folder = await freshCopy(t);
  const path = t.testdir({});
  for (const tool of ["sh", "dirname"]) await linkTool(tool, path);
  const result = await runCommand(["sh", join(folder, "scripts/mcp.sh")], { env: { PATH: path } });
  t.equal(result.code, 3);
  t.equal(result.stdout, "");
  t.match(result.stderr, /node is not on PATH; install Node\.js/);
});

t.test("a developer's checkout runs on its own Deno, which looks for no updates", async (t) => {
  const folder = await freshCopy(t);
  await mkdir(join(folder, "node_modules"));
  await writeDeno(folder, 'echo "$DENO_NO_UPDATE_CHECK $@"');
  const result = await runCommand(["sh", join(folder, "scripts/mcp.sh"), "--tools", "static"]);
  t.equal(
    result.stdout,
    `1 run -A --quiet --no-lock --config ${folder}/deno.json ${folder}/src/main.ts --tools static\n`,
  );
  t.notOk(await pathExists(join(folder, ".installed")));
});

async function writeDeno(folder: string, script: string): Promise<void> {
  const deno = join(folder, "scripts/deno/node_modules/deno");
  await mkdir(deno, { recursive: true });
  await writeTextFile(join(deno, "deno"), `#!/bin/sh\n${script}\n`);
  await runCommand(["chmod", "+x", join(deno, "deno")]);
}

async function linkTool(name: string, folder: string): Promise<void> {
  const found = await runCommand(["sh", "-c", `command -v ${name}`]);
  await runCommand(["ln", "-s", found.stdout.trim(), join(folder, name)]);
}
