import process from "node:process";
import { join } from "node:path";
import t from "tap";
import type { PreflightCheck } from "../../../src/api/harness.ts";
import { preflight } from "../../../src/session/preflight.ts";
import { defineRuntime } from "../../../src/runtimes/runtime.ts";
import { makeRepository, prepare, temporaryWorld, writeFiles } from "./helpers.ts";

const runtime = (name: string, ready: boolean, tier: 1 | 2 = 1) =>
  defineRuntime({
    name,
    summary: "",
    needs: "",
    tiers: [tier],
    rank: 1,
    probe: () =>
      Promise.resolve({ ready, reason: `${name} says so`, ...(ready ? {} : { next: ["start it"] }) }),
    create: () => {
      throw new Error("not used");
    },
    networks: ["none", "host"],
    leftovers: () => Promise.resolve([]),
  });

const check = (checks: PreflightCheck[], name: string) => checks.find((check) => check.name === name);

t.test("a sound plugin passes every check, and nothing is written", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "package.json": '{"main":"x.js","scripts":{"build":"tsc"}}' });
  const checks = await preflight({ target: folder, runtimes: [runtime("docker", true)] });
  t.strictSame(checks.filter(({ status }) => status === "failed"), []);
  t.match(check(checks, "git"), { status: "ok", message: /0 uncommitted/ });
  t.match(check(checks, "build system"), { message: /npm \(package\.json.*started with: node \.\/x\.js/ });
  t.match(check(checks, "session lock"), { status: "ok" });
  t.match(check(checks, "stale sessions"), { status: "ok" });
});

t.test("each thing that stands in the way is told with a way on", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, {
    "README.md": "",
    ".claude-plugin/plugin.json": '{"userConfig":{"k":{"required":true}}}',
  });
  await prepare(folder);
  const checks = await preflight({
    target: folder,
    runtimes: [runtime("docker", false)],
    images: () => Promise.resolve([{ name: "debian12", present: false, stale: false, detail: "not built" }]),
  });
  t.match(check(checks, "build system"), {
    status: "failed",
    next: [{ terminal: /--build.*--command/, mcp: /pth_start_session/ }],
  });
  t.match(check(checks, "configuration"), {
    status: "warning",
    next: [{ terminal: "--var k=…" }, { mcp: /configValues/ }],
  });
  t.match(check(checks, "session lock"), {
    status: "failed",
    next: [/End/, { terminal: /--force/, mcp: /force: true/ }],
  });
  t.match(check(checks, "runtime docker"), { status: "warning", next: ["start it"] });
  t.match(check(checks, "runtimes"), { status: "failed" });
  t.match(check(checks, "image debian12"), {
    status: "warning",
    next: [{ terminal: "pth images build debian12" }],
  });
  for (const { name, status, next } of checks) t.ok(status === "ok" || next?.length, `${name} has a way on`);
});

t.test("the tier that the source asks for is told with its reasons, and whether this machine has it", async (t) => {
  const { folder } = await temporaryWorld(t);
  const server = 'await run("systemctl", ["start", unit]);\nawait run("useradd", [name]);\n';
  await makeRepository(folder, { "package.json": '{"main":"x.js"}', "x.js": server });
  const checks = (ready: boolean) =>
    preflight({ target: folder, runtimes: [runtime("docker", true), runtime("systemd", ready, 2)] });
  const message =
    "2, a container with systemd: uses systemd: services, timers, its journal (x.js:1), manages users and groups (x.js:2)";
  t.match(check(await checks(true), "tier"), { status: "ok", message });
  const absent = check(await checks(false), "tier");
  t.match(absent, { status: "warning", next: ["start it", { terminal: "Or ask for less: --env-tier 1" }] });
  t.match(
    absent?.message,
    /; none is ready here: a lower tier is taken, and tests that require it are skipped/,
  );
});

t.test("of images only those are warned of that matter for the plugin; the others are one line", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, {
    "package.json": '{"main":"x.js"}',
    "x.js": 'await run("systemctl", ["start", unit]);',
  });
  const images = (...names: string[]) => () =>
    Promise.resolve(
      names.map((name) => ({ name, present: name === "debian13", stale: false, detail: "how" })),
    );
  const all = images("debian12", "debian13", "fedora", "debian12-systemd", "fedora-systemd", "debian12-vm");
  const shown = (checks: PreflightCheck[]) =>
    checks.filter(({ name }) => name.includes("image"))
      .map(({ name, status, message }) => [name, status, message]);
  const runtimes = [runtime("docker", true)];
  t.strictSame(shown(await preflight({ runtimes, images: all, target: folder })), [
    ["image debian12", "warning", "how"],
    ["image debian12-systemd", "warning", "how"],
    ["other images", "ok", "debian13 built; 3 not built"],
  ]);
  t.strictSame(shown(await preflight({ runtimes, images: all })), [
    ["image debian12", "warning", "how"],
    ["other images", "ok", "debian13 built; 4 not built"],
  ]);
  t.strictSame(shown(await preflight({ runtimes, images: images("debian12", "debian13") })), [
    ["image debian12", "warning", "how"],
    ["other images", "ok", "debian13 built"],
  ]);
});

t.test("images that are stale are told, and those that matter with what to do", async (t) => {
  await temporaryWorld(t);
  const stale = (name: string) => ({
    name,
    present: true,
    stale: true,
    detail: "built today, changed since",
  });
  const fresh = { name: "fedora", present: true, stale: false, detail: "built today" };
  const images = () => Promise.resolve([stale("debian12"), stale("debian13"), fresh]);
  const checks = await preflight({ runtimes: [runtime("docker", true)], images });
  t.match(check(checks, "image debian12"), {
    status: "warning",
    next: [{ terminal: "pth images build debian12" }],
  });
  t.match(check(checks, "other images"), { message: "fedora built; debian13 stale" });
});

t.test("a target that is not there is one failed check", async (t) => {
  const { folder } = await temporaryWorld(t);
  const checks = await preflight({ target: join(folder, "none"), runtimes: [runtime("host", true)] });
  t.match(check(checks, "plugin"), { status: "failed", message: /no such folder/ });
  t.equal(check(checks, "git"), undefined);
});

t.test("the machine's Node and git are told; Superpowers only where it is", async (t) => {
  await temporaryWorld(t);
  const runtimes = [runtime("host", true)];
  const without = await preflight({ runtimes, superpowers: () => Promise.resolve(undefined) });
  t.match(check(without, "node"), { status: "ok", message: /PTH runs on (Deno|Node) \d+.*, node \d+/ });
  t.match(check(without, "git version"), { status: "ok", message: /^git 2\./ });
  t.equal(check(without, "superpowers"), undefined);
  const found = { version: "5.0.7", folder: "/x", skills: ["brainstorming", "writing-plans"] };
  const checks = await preflight({ runtimes, superpowers: () => Promise.resolve(found) });
  t.match(check(checks, "superpowers"), { status: "ok", message: /5\.0\.7.*brainstorming, writing-plans/ });
});

t.test("a machine without node and git is warned of, with the way to get them", async (t) => {
  await temporaryWorld(t);
  const path = process.env.PATH;
  process.env.PATH = t.testdir({});
  t.teardown(() => process.env.PATH = path);
  const checks = await preflight({ runtimes: [runtime("docker", true)] });
  t.match(check(checks, "node"), { status: "warning", next: [{ terminal: /Install Node/ }] });
  t.match(check(checks, "git version"), { status: "warning", next: [/Install git/] });
});
