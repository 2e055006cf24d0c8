import { join } from "node:path";
import t, { type Test } from "tap";
import type { CommandContext } from "../../../src/cli/command.ts";
import { runCli } from "../../../src/cli/main.ts";
import { findLiveSession, openerOf, tableOf } from "../../../src/cli/viz/serve_viewer.ts";
import { listFolder, readTextFile } from "../../../src/platform/files.ts";
import type { Announcement } from "../../../src/registry/announcement.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

const header = { format: "pth-recording/2", startedAt: "2026-01-15T10:30:00.000Z", pth: "0.1.0" };
const lines = [
  header,
  { at: 0, type: "actor", actor: "x:0", id: "harness", machine: "harness" },
  { at: 1, type: "event", actor: "x:0", event: { type: "harness.start" } },
];
const recordingOf = (...lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

/** A folder with recordings, whole and not. */
function recordings(t: Test): (name: string) => string {
  const folder = t.testdir({
    "run.jsonl": recordingOf(...lines),
    "cut.jsonl": recordingOf(...lines).slice(0, -10),
    "newer.jsonl": recordingOf({ ...header, format: "pth-recording/3" }, ...lines.slice(1)),
    "replay.jsonl": recordingOf({ format: "pth-mcp-recording/1" }),
    "empty.jsonl": "",
    "notes.txt": "no recording\n",
    folder: {},
  });
  return (name) => join(folder, name);
}

async function pth(...args: string[]) {
  const kept = keptContext(scriptedHarness());
  const exitCode = await runCli(["viz", ...args], kept.context);
  return { exitCode, stdout: kept.stdout(), stderr: kept.stderr() };
}

t.test("wrong use is exit 2, with everything that is wrong, and nothing is served", async (t) => {
  const at = recordings(t);
  const wrong: [string[], ...RegExp[]][] = [
    [["nowhere.jsonl"], /nowhere\.jsonl does not exist/, /--record nowhere\.jsonl/],
    [[at("folder")], /is a folder/],
    [["x".repeat(300)], /the recording cannot be read: /],
    [["a", "b"], /too many arguments/],
    [["--port", "0"], /--port expects a number from 1 to 65535/],
    [["--port", "http"], /--port expects/],
    [["--session", "1", "--machines"], /mutually exclusive/],
    [[at("run.jsonl"), "--machines"], /mutually exclusive/],
    [["--session", "999999999"], /no such session runs/],
    [["--format", "png"], /--format needs --export/],
    [["--machine", "session"], /--machine needs --export/],
    [
      ["--export", at("out"), "--port", "4000", "--allow-send"],
      /--port cannot be combined with --export/,
      /--allow-send cannot be combined/,
    ],
    [
      ["--export", at("out"), "--format", "svg,jpeg"],
      /--format expects one of svg, png, mermaid, dot, not "jpeg"/,
    ],
    [["--export", at("run.jsonl")], /--export: cannot write/],
    [["--export", at("out"), "--machine", "sesion"], /unknown machine "sesion"/, /Did you mean session/],
  ];
  for (const [args, ...messages] of wrong) {
    const { exitCode, stdout, stderr } = await pth(...args);
    t.equal(exitCode, 2, args.join(" "));
    t.equal(stdout, "");
    for (const message of messages) t.match(stderr, message);
  }
  t.same((await listFolder(at("."))).map(({ name }) => name).filter((name) => name === "out"), []);
});

t.test("what cannot be read as a recording is told before a page is served", async (t) => {
  const at = recordings(t);
  for (
    const [name, message] of [
      ["newer.jsonl", /newer|pth-recording\/3/],
      ["replay.jsonl", /pth replay|pth mock|pth-mcp-recording/],
      ["empty.jsonl", /empty/],
      ["notes.txt", /not a recording/],
    ] as const
  ) {
    const { exitCode, stdout, stderr } = await pth(at(name), "--no-open");
    t.equal(exitCode, 2, name);
    t.equal(stdout, "");
    t.match(stderr, message);
  }
});

t.test("the page is served until it is interrupted; Enter prints a new address", async (t) => {
  const at = recordings(t);
  const kept = keptContext(scriptedHarness());
  let press: (key: string) => void = () => {};
  const context: CommandContext = {
    ...kept.context,
    onKey(listener) {
      press = listener;
      return () => void (press = () => {});
    },
  };
  const ended = runCli(["viz", at("cut.jsonl"), "--no-open"], context);
  for (let tries = 0; kept.stdout() === "" && tries < 1000; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  press("x");
  press("\r");
  const addresses = kept.stdout().trim().split("\n");
  t.equal(addresses.length, 2);
  t.not(addresses[0], addresses[1]);
  for (const address of addresses) {
    t.match(address, /^http:\/\/127\.0\.0\.1:\d+\/pth_\w+\/\?token=[\w-]{43}#source=recording$/);
    const response = await fetch(address, { redirect: "manual" });
    await response.body?.cancel();
    t.equal(response.status, 303);
  }
  t.match(kept.stderr(), "Enter prints a new address");
  kept.interrupt("SIGINT");
  t.equal(await ended, 130);
  t.match(kept.stderr(), /\nClosing the viewer\.\n$/, "and speaks of no cleaning");
  await t.rejects(fetch(addresses[0]!), "nothing listens any more");
});

t.test("pictures and texts of machines are written, and a recording's sequence beside them", async (t) => {
  const at = recordings(t);
  const { exitCode, stdout, stderr } = await pth(
    at("run.jsonl"),
    "--export",
    at("out"),
    "--machine",
    "call",
    "--format",
    "svg, mermaid",
    "--format",
    "dot",
  );
  t.equal(exitCode, 0, stderr);
  t.same(
    stdout.trim().split("\n"),
    ["run.sequence.mmd", "call.svg", "call.mmd", "call.dot"].map((name) => join(at("out"), name)),
  );
  t.match(stderr, "4 files written");
  t.match(await readTextFile(at("out/call.svg")), /^<svg [^]*<style>[^]*data-state="call\.leasing"/);
  t.match(await readTextFile(at("out/call.mmd")), /^stateDiagram-v2|stateDiagram-v2/);
  t.match(await readTextFile(at("out/call.dot")), "digraph");
  t.match(await readTextFile(at("out/run.sequence.mmd")), /^sequenceDiagram\n[^]*harness\.start/);
});

const running: Announcement[] = [
  {
    id: "a1",
    owner: { pid: 11 },
    startedAt: "2026-01-15T10:30:00.000Z",
    command: "run",
    target: "./one",
    socket: "/s",
  },
  {
    id: "b2",
    owner: { pid: 22 },
    startedAt: "2026-01-15T10:31:00.000Z",
    command: "mcp",
    sessionId: "f00",
    socket: "/s",
  },
];

t.test("a session is found by its id, its announcement's or its process's; else those that run are named", (t) => {
  for (const [named, id] of [["a1", "a1"], ["22", "b2"], ["f00", "b2"]]) {
    t.equal(findLiveSession(named!, running).id, id);
  }
  t.throws(() => findLiveSession("c3", running), {
    code: "INVALID_INPUT",
    context: { next: ["pth viz --session a1 (pth run ./one)", "pth viz --session b2 (pth mcp)"] },
  });
  const [one] = running as [Announcement, ...unknown[]];
  const matrix = [{ ...one, entry: "host" }, { ...one, id: "a2", entry: "debian13" }];
  t.throws(() => findLiveSession("11", matrix), {
    message: "Cannot show session 11: 2 sessions run in that process",
    context: {
      next: [
        "pth viz --session a1 (pth run on host ./one)",
        "pth viz --session a2 (pth run on debian13 ./one)",
      ],
    },
  });
  t.match(tableOf(matrix), /pth run on debian13/);
  // With the zone of who runs this; its minutes may differ from those of UTC, too.
  const since = new Date("2026-01-15T10:30:00Z").toLocaleString("sv-SE");
  t.match(
    tableOf(running),
    new RegExp(`SINCE \\(LOCAL TIME\\).*\\na1 +11 +pth run +${since} +\\./one\\nb2 +22 +pth mcp`),
  );
  t.end();
});

t.test("a browser is opened where there is a display", (t) => {
  const env = (variables: Record<string, string>) => (name: string) => variables[name];
  t.equal(openerOf(env({}), false), undefined);
  t.equal(openerOf(env({ DISPLAY: ":0" }), false), "xdg-open");
  t.equal(openerOf(env({ WAYLAND_DISPLAY: "wayland-0" }), false), "xdg-open");
  t.equal(openerOf(env({}), true), "open");
  t.end();
});
