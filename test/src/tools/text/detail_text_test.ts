import t from "tap";
import type { Detail } from "../../../../machines/model/detail.ts";
import { detailData, detailText } from "../../../../src/tools/text/detail_text.ts";

const messages = [
  { at: 1, direction: "sent" as const, message: { id: 3, method: "tools/call" } },
  { at: 5, direction: "received" as const, message: { id: 3, result: { text: "x".repeat(100_000) } } },
];
const call = { sequence: 1, method: "tools/call", tool: "add", durationMs: 4, messages };

t.test("an exchange tells test, call and raw messages, within what one answer can carry", (t) => {
  const detail: Detail = {
    kind: "exchange",
    test: { id: "adds", name: "it adds", status: "passed" },
    calls: [call, { sequence: 0, method: "", messages: messages.slice(0, 1) }],
  };
  const text = detailText(detail);
  t.match(
    text,
    'Test adds: it adds (passed)\nCall 1: tools/call add, 4 ms\n  → {"id":3,"method":"tools/call"}\n',
  );
  t.match(text, /characters left out/);
  t.ok(text.length < 60_000);
  t.same(detailData(detail), detail, "the data is whole");
  t.match(
    detailText({ kind: "exchange", calls: [], note: "No server runs." }),
    /^Latest messages.*\nNo server/,
  );
  t.end();
});

t.test("output tells stderr, stray lines on stdout and the test's own commands", (t) => {
  const text = detailText({
    kind: "stderr",
    test: { id: "a", name: "a" },
    stderr: "TypeError: x\n    at y",
    stdout: ["debug line"],
    commands: [{ exec: "cat f", code: null, stdout: "", stderr: "killed" }],
  });
  t.match(
    text,
    "Test a: a (not run yet)\nstderr:\nTypeError: x\n    at y\nstdout:\ndebug line\n$ cat f\nexit code none",
  );
  t.match(detailText({ kind: "stderr", stderr: "", stdout: [], commands: [] }), /stderr: nothing/);
  t.end();
});

t.test("a build tells how it was built and the end of its output; its data is bounded, too", (t) => {
  const output = Array.from({ length: 50_000 }, (_, line) => `line ${line}`).join("\n");
  const detail: Detail = { kind: "build", system: "npm (package.json)", build: "npm run build", output };
  t.match(
    detailText(detail),
    /^Build system: npm \(package\.json\)\nBuild: npm run build\n… \d+ lines left out; all of it with detail: true\n/,
  );
  t.match(detailText(detail), /line 49999$/);
  t.ok(detailText(detail, true).length > 10 * detailText(detail).length, "more of it on request");
  const { output: given } = detailData(detail) as { output: string };
  t.ok(given.length <= 210_000);
  t.equal(detailText({ kind: "build", output: "" }), "Nothing to build\nNo output");
  t.end();
});

t.test("resources tell disk, memory, processor and the largest processes", (t) => {
  const text = detailText({
    kind: "resources",
    state: {
      runtime: "docker",
      tier: 1,
      image: "debian12",
      status: "running",
      hostname: "h",
      os: "o",
      kernel: "k",
      sourcePath: "/src",
      cpus: 2,
      memoryMB: 512,
      diskFreeMB: 100,
      limits: [{ name: "diskGB", value: 1, enforced: false }],
      tools: {},
      network: "bridge",
      processes: 1,
    },
    health: {
      healthy: false,
      problems: ["The disk is 97 % full"],
      diskUsedPercent: 97,
      memoryUsedPercent: 25,
      processes: 1,
      zombies: 0,
      oomKills: 0,
      failedUnits: [],
    },
    usage: {
      disks: [{ mount: "/", totalMB: 10_240, usedMB: 9933, freeMB: 307 }],
      folders: [{ path: "/src/node_modules", usedMB: 80.5 }],
      memory: { totalMB: 512, usedMB: 128, limited: true },
      cpu: { cpus: 2, load: [0.5, 0.4, 0.3] },
      processes: [{ command: "node server.mjs", state: "S", memoryMB: 60, cpuSeconds: 1.5 }],
      processCount: 1,
    },
  });
  for (
    const part of [
      "docker, debian12: The disk is 97 % full",
      "Disk /: 9.7 GB of 10.0 GB used, 307 MB free",
      "80.5 MB  /src/node_modules",
      "128 MB of 512 MB (the environment's limit)",
      "diskGB 1: not enforced",
      "60 MB, 1.5 s of CPU, S: node server.mjs",
    ]
  ) t.match(text, part);
  t.end();
});
