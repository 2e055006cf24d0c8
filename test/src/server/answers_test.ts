/** What each tool asks of the session, and what it makes of the answer. */
import { fileURLToPath } from "node:url";
import t from "tap";
import type { FixRecord } from "../../../machines/model/fix.ts";
import type { CoverageReport } from "../../../machines/model/coverage.ts";
import type { PerformanceReport } from "../../../machines/model/performance.ts";
import type { EnvironmentInfo, PluginInfo, RunReport } from "../../../machines/model/session.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import type { ReloadReport, Session } from "../../../src/api/harness.ts";
import { registry } from "../../../src/tools/_registry.ts";
import { type AnswerCase, checkAnswer } from "./check_answer.ts";
import { ownTests } from "../own_tests.ts";
import { connect, textOf } from "./connected_client.ts";
import type { ScriptedSession } from "./scripted_harness.ts";

const environment: EnvironmentInfo = {
  handle: {
    environmentId: "e1",
    sessionId: "a1b2c3",
    runtime: "sandbox",
    tier: 1,
    image: "host root",
    sourcePath: "/work/plugin",
    state: { init: 4711 },
  },
  state: {
    runtime: "sandbox",
    tier: 1,
    image: "host root",
    status: "running",
    hostname: "pth-e1",
    os: "Debian 12",
    kernel: "6.1",
    sourcePath: "/work/plugin",
    cpus: 2,
    memoryMB: 4096,
    diskFreeMB: 9000,
    limits: [{ name: "diskGB", value: 1, enforced: false }],
    tools: { node: "20.1.0" },
    network: "host",
    processes: 3,
  },
  mount: {
    method: "bind",
    hostPath: "/tmp/w",
    envPath: "/work/plugin",
    writable: true,
    latency: "none",
  },
  reason: "docker is not ready",
  config: { runtime: "auto", tier: 1 },
};

const echo = { name: "echo", description: "Says it again\nand again", inputSchema: { type: "object" } };
const plugin: PluginInfo = {
  plan: {
    name: "sample",
    version: "1.0.0",
    source: "/plugins/sample",
    folder: "/work/plugin",
    build: { system: "npm", evidence: "package.json", install: "npm install", toolchains: [] },
    server: {
      type: "stdio",
      command: ["node", "dist/index.js"],
      env: { TOKEN: "hunter2" },
      cwd: "/work/plugin",
    },
  },
  server: { name: "sample-server", version: "1.0.0", protocolVersion: "2025-11-25", capabilities: {} },
  tools: [echo],
};

const test: TestCase = {
  id: "echo-says",
  name: "echo says",
  tier: 1,
  tool: "echo",
  expect: {},
  verify: [],
  setup: [],
  teardown: [],
  tags: [],
  generatedFrom: "manual",
  file: ".pth/tests/echo.yaml",
};
const fix: FixRecord = {
  commit: "a".repeat(40),
  type: "fix",
  title: "add",
  body: "",
  tests: ["echo says"],
  category: "wrong-output",
  iteration: 2,
  files: ["a.ts"],
  at: "2026-01-01T00:00:00Z",
};
const reload: ReloadReport = {
  closed: [],
  tools: { added: [], removed: [], changed: ["echo"], total: 1 },
};
const failure: TestResult = {
  id: "echo-says",
  name: "echo says",
  tier: 1,
  tool: "echo",
  generatedFrom: "manual",
  status: "failed",
  category: "wrong-output",
  message: "expected a\nactual b",
  stderrTail: "last words",
  findings: [{ severity: "warning", code: "schema-not-enforced", tool: "echo", message: "accepts anything" }],
  durationMs: 12,
  startedAt: 0,
};
const { category: _category, message: _message, stderrTail: _tail, ...rest } = failure;
const success: TestResult = { ...rest, id: "echo-more", name: "echo more", status: "passed", findings: [] };
const summary = { total: 2, passed: 1, failed: 1, skipped: 0, flaky: 0, durationMs: 1500 };
/** A plugin that was never loaded. */
const untested: ScriptedSession = {
  plugin: {
    status: () => ({ state: "absent", tools: 0, connections: [] }),
  },
  tests: {
    results: () => ({ summary: { ...summary, failed: 0 }, results: [], findings: [] }),
  },
};
const half = { covered: 1, total: 2 };
const coverage: CoverageReport = {
  collector: "v8",
  files: [{ path: "a.js", lines: { 1: 1, 2: 0 }, functions: [], branches: [], tools: [] }],
  totals: { lines: half, functions: half, branches: half },
  gaps: [{ path: "a.js", line: 2, endLine: 2, kind: "error branch", tool: "echo" }],
  notes: [],
};
const percentiles = { count: 20, min: 1, p50: 2, p95: 3, p99: 4, max: 5 };
const performanceReport: PerformanceReport = {
  calls: 20,
  tools: [{ tool: "echo", responseMs: percentiles, errors: 0, answerBytes: percentiles }],
  outliers: [],
  unmeasured: [{ tool: "drop", reason: "destructive" }, { tool: "wipe", reason: "destructive" }],
  contextCost: { tokenizer: "o200k_base", list: { bytes: 9, tokens: 3 }, tools: [], answers: [] },
  notes: ["from /proc"],
  startedAt: 0,
  durationMs: 5,
};
const longText = Array.from({ length: 100 }, (_, at) => `line ${at}`).join("\n");
const ok = <T>(value: T) => () => Promise.resolve(value);

const cases: AnswerCase[] = [
  {
    tool: "pth_provision_environment",
    input: { tier: "1", resources: { diskGB: 1 } },
    commands: {
      environment: {
        provision: (config) =>
          Promise.resolve({ ...environment, config: { ...environment.config, ...config } }),
      },
    },
    text:
      /^Environment e1: sandbox, tier 1[^]*because: docker is not ready[^]*2 cpus, 4096 MB[^]*diskGB 1 \(not enforced\)[^]*pth_load_plugin/,
    data: {
      environment: { runtime: "sandbox", state: undefined },
      config: { tier: 1, resources: { diskGB: 1 } },
    },
  },
  {
    tool: "pth_reprovision_environment",
    commands: {
      environment: {
        reprovision: ok(environment),
      },
      plugin: {
        status: () => ({ state: "ready", tools: 1, connections: [] }),
      },
    },
    text: /^Environment e1[^]*The plugin was loaded again\.$/,
    data: { state: { cpus: 2 }, reloaded: true },
  },
  {
    tool: "pth_inspect_environment",
    commands: {
      environment: {
        inspect: ok({ ...environment, state: environment.state }) as Session["environment"]["inspect"],
      },
      snapshots: {
        list: () => [
          { name: "s-gone", tag: "gone", takenAt: "", ageSeconds: 9, holds: "disk", usable: false },
          { name: "s-1", tag: "1", takenAt: "", ageSeconds: 90, holds: "disk and memory", usable: true },
          {
            name: "s-2",
            tag: "2",
            takenAt: "",
            ageSeconds: 2,
            holds: "disk",
            usable: true,
            fix: "0123456789abcdef",
          },
        ],
      },
    },
    text:
      /Tools: node 20\.1\.0\nSource at \/work\/plugin \(bind, writable\)\nSnapshots:\n- s-2: disk, taken 2\.0 s ago, before fix 0123456789\n- s-1: disk and memory, taken 90\.0 s ago$/,
    data: {
      state: { os: "Debian 12" },
      mount: { method: "bind" },
      snapshots: [{ name: "s-1" }, { name: "s-2" }],
    },
  },
  {
    tool: "pth_destroy_environment",
    commands: {
      environment: {
        destroy: ok(undefined),
      },
    },
    text: /^Environment destroyed/,
    data: { destroyed: true },
  },
  {
    tool: "pth_snapshot_environment",
    input: { tag: "before" },
    commands: {
      snapshots: {
        take: (tag) => Promise.resolve({ snapshot: `s-${tag}`, holds: "disk" }),
      },
    },
    text: /^Snapshot s-before taken; it contains: disk\.[^]*\{ snapshot: "s-before" \}/,
    data: { snapshot: "s-before" },
  },
  {
    tool: "pth_snapshot_environment",
    input: { drop: "s-before" },
    commands: {
      snapshots: {
        drop: ok(undefined),
      },
    },
    text: /^Snapshot s-before deleted\.$/,
    data: { dropped: "s-before" },
  },
  {
    tool: "pth_rollback_environment",
    input: { snapshot: "s-before", recover: true },
    commands: {
      snapshots: {
        rollBack: (_snapshot, options) =>
          Promise.resolve({ reloaded: true, recovered: `Cannot roll back (recover: ${options?.recover})` }),
      },
    },
    text: /^Cannot roll back \(recover: true\)\. A new environment[^]*The plugin was loaded again\.$/,
    data: { reloaded: true, recovered: /Cannot/ },
  },
  {
    tool: "pth_rollback_environment",
    input: { snapshot: "s-before" },
    commands: {
      snapshots: {
        rollBack: ok({ reloaded: false }),
      },
    },
    text: /Next: pth_load_plugin/,
    data: { reloaded: false },
  },
  {
    tool: "pth_exec_in_environment",
    input: { command: "ls | wc", env: { A: 1 }, timeoutSeconds: "5" },
    commands: {
      environment: {
        exec: (command, options) =>
          Promise.resolve({
            code: 3,
            signal: null,
            stdout: `${longText}\n`,
            stderr: JSON.stringify([command, options]),
            truncated: false,
            durationMs: 4,
          }),
      },
    },
    text:
      /^Exit code 3 after 4 ms\nstdout:\n… 40 lines left out; detail: true runs it again and shows all\nline 40\n[^]*stderr:\n\[\["sh","-c","ls \| wc"\],\{"env":\{"A":"1"\},"timeoutSeconds":5\}\]$/,
    data: { exitCode: 3, signal: null },
  },
  {
    tool: "pth_exec_in_environment",
    input: { command: ["seq", "100"], detail: true },
    commands: {
      environment: {
        exec: ok({
          code: null,
          signal: "SIGKILL",
          stdout: longText,
          stderr: "",
          truncated: true,
          durationMs: 4,
        }),
      },
    },
    text: /^Killed by SIGKILL[^]*longer than PTH keeps[^]*line 0\nline 1\n/,
    data: { stdout: longText, truncated: true },
  },
  {
    tool: "pth_copy_to_environment",
    input: { hostPath: "/a", envPath: "b" },
    commands: {
      environment: {
        copyIn: ok(undefined),
      },
    },
    text: /^Copied \/a to b\.$/,
    data: { hostPath: "/a", envPath: "b" },
  },
  {
    tool: "pth_copy_from_environment",
    input: { hostPath: "/a", envPath: "b" },
    commands: {
      environment: {
        copyOut: ok(undefined),
      },
    },
    text: /^Copied b to \/a\.$/,
    data: { hostPath: "/a", envPath: "b" },
  },
  {
    tool: "pth_get_environment_logs",
    input: { tail: 100 },
    commands: {
      environment: {
        logs: (lines) => Promise.resolve(`${lines}\n${longText}`),
      },
    },
    text: /^100\nline 0\n/,
    data: { logs: String },
  },
  {
    tool: "pth_get_environment_logs",
    commands: {
      environment: {
        logs: ok(""),
      },
    },
    text: /^The logs are empty\.$/,
    data: { logs: "" },
  },
  {
    tool: "pth_check_environment_health",
    commands: {
      environment: {
        health: ok({
          healthy: false,
          problems: ["the disk is full"],
          diskUsedPercent: 100,
          memoryUsedPercent: 5,
          processes: 3,
          zombies: 1,
          oomKills: 0,
          failedUnits: [],
        }),
      },
      snapshots: {
        list: () => [
          { name: "s-1", tag: "1", takenAt: "", ageSeconds: 9, holds: "disk", usable: true },
          { name: "s-gone", tag: "2", takenAt: "", ageSeconds: 2, holds: "disk", usable: false },
        ],
      },
    },
    text:
      /^Not healthy:\n- the disk is full\nDisk 100 % used[^]*Next: pth_rollback_environment\(\{ snapshot: "s-1" \}\), or pth_reprovision/,
    data: { healthy: false },
  },
  {
    tool: "pth_check_environment_drift",
    commands: {
      environment: {
        drift: ok({
          drifted: true,
          changes: [
            ...Array.from(
              { length: 50 },
              (_, i) => ({ group: "user", change: "added", name: `u${i}` } as const),
            ),
            { group: "port", change: "added", name: "tcp/80", byLoad: true },
          ],
          ignored: [{ what: "caches", why: "made anew", count: 3 }],
        }),
      },
      plugin: {
        status: () => ({ state: "ready", tools: 1, connections: [] }),
      },
    },
    text:
      /^Drifted: 50 changes[^]*Users:\n- added: u0, u1, [^]*… 30 more; detail: true shows all\nCame with the plugin's load[^]*listening ports 1\nLeft out:\n- caches, 3: made anew\nNext: pth_check_environment_drift\(\{ reprovision: true \}\)/,
    data: { drifted: true, total: 51 },
  },
  {
    tool: "pth_check_environment_drift",
    input: { reprovision: true },
    commands: {
      tests: {
        runClean: ok({
          driftUnknown: "its sandbox has ended",
          summary: { total: 2, passed: 1, failed: 1, skipped: 0, flaky: 0, durationMs: 5 },
          failed: [failure],
          onlyDirty: [failure],
          onlyClean: [],
          compared: 2,
        }),
      },
    },
    text: new RegExp(
      `^The drift of the old environment is not known: its sandbox has ended\\n[^]*Passed only in the old environment[^]*: ${failure.name}\\nNext: make what`,
    ),
    data: { verification: { compared: 2, onlyDirty: [{ id: failure.id }] } },
  },
  {
    tool: "pth_rebuild_base_images",
    input: { names: ["debian12"] },
    rebuildImages: (names) =>
      Promise.resolve(
        names.map((name) => ({ name, tag: `pth-base-${name}`, sizeMB: 164, durationMs: 16000 })),
      ),
    text: /^1 image built\n- pth-base-debian12: 164 MB, 16\.0 s$/,
    data: { images: [{ name: "debian12" }] },
  },
  {
    tool: "pth_load_plugin",
    commands: {
      plugin: {
        load: ok(plugin),
      },
      tests: {
        list: () => [],
        problems: () => [],
      },
    },
    text:
      /^sample 1\.0\.0 runs: sample-server 1\.0\.0, protocol 2025-11-25, 1 tool\nBuild system: npm[^]*- echo: Says it again\nNext: pth_generate_tests/,
    data: { plan: { server: { variables: ["TOKEN"] } }, tools: [{ name: "echo", inputSchema: undefined }] },
  },
  {
    tool: "pth_reload_plugin",
    commands: {
      plugin: {
        reload: ok({
          closed: [{ how: "sigkill", waitedMs: 4000, exitCode: null, orphans: ["sleep 9"] }],
          tools: { added: ["b"], removed: [], changed: [], total: 2 },
          build: { output: "built", durationMs: 1200 },
        }),
      },
      tests: {
        list: () => [test],
        problems: () => [{ file: "a.yaml", line: 3, column: 5, message: "expected text" }],
      },
    },
    text:
      /^Built in 1\.2 s\nServer restarted: 2 tools\nAdded: b\nThe old server left a process behind: sleep 9 \(PTH ended it; .*\)\nNot loaded, 1 mistake[^]*pth_run_test_suite\(\{\}\) runs 1 test;/,
    data: { tools: { added: ["b"] } },
  },
  {
    tool: "pth_get_plugin_status",
    commands: {
      plugin: {
        status: () => ({
          state: "failed",
          plan: plugin.plan,
          tools: 0,
          connections: [{ id: "c1", state: "lost", pid: 7 }],
          lastError: "exited with 1",
        }),
      },
    },
    text:
      /^Plugin: failed, 0 tools\nBuild system: npm \(package\.json\): npm install\n[^]*- c1: lost, pid 7\nLast error: exited with 1\nNext: pth_load_plugin\(\{\}\)\.$/,
    data: { state: "failed", plan: { name: "sample" } },
  },
  {
    tool: "pth_list_plugin_tools",
    commands: {
      plugin: {
        tools: () => [echo],
      },
    },
    text: /^1 tool\n- echo\(\): Says it again\nIn full: pth_list_plugin_tools\(\{ tool: "echo" \}\)$/,
    data: { total: 1, tools: [{ name: "echo" }] },
  },
  {
    tool: "pth_list_plugin_tools",
    input: { tool: "echo" },
    commands: {
      plugin: {
        tools: () => [echo],
      },
    },
    text: /"inputSchema"/,
    data: { tools: [echo] },
  },
  {
    tool: "pth_call_plugin_tool",
    input: { tool: "echo", input: '{"a":1}' },
    commands: {
      plugin: {
        call: (_tool, input) =>
          Promise.resolve({
            kind: "result",
            raw: {},
            text: JSON.stringify(input),
            isError: true,
            content: [],
            violations: [{ kind: "output_schema", message: "no number" }],
            durationMs: 2,
          }),
      },
    },
    text: /^echo answered isError after 2 ms:\n\{"a":1\}\nBreach \(output_schema\): no number$/,
    data: { isError: true, raw: undefined },
  },
  {
    tool: "pth_call_plugin_tool",
    input: { tool: "echo", detail: true },
    commands: {
      plugin: {
        call: ok({
          kind: "rpc_error",
          raw: { code: -32602 },
          text: "bad",
          isError: true,
          code: -32602,
          violations: [],
          durationMs: 2,
        }),
      },
    },
    text: /^echo answered JSON-RPC error -32602 after 2 ms:\nbad$/,
    data: { raw: { code: -32602 } },
  },
  {
    tool: "pth_get_plugin_config",
    commands: {
      plugin: {
        config: () => [{ name: "TOKEN", value: "[REDACTED]", source: "secret" }],
      },
    },
    text: /^TOKEN=\[REDACTED\] {2}\(secret\)$/,
    data: { values: [{ name: "TOKEN" }] },
  },
  {
    tool: "pth_generate_tests",
    input: { tools: ["echo"] },
    commands: {
      tests: {
        generate: ok({
          tests: [test],
          findings: failure.findings,
          heldBack: [{ tool: "drop", reason: "destructiveHint" }],
        }),
      },
    },
    text:
      /^1 test \(1 from manual\) for 1 subject: echo 1\nExcluded, destructiveHint: drop\n1 finding:\n- schema-not-enforced \(warning\): echo\nNext: /,
    data: { total: 1, tests: [{ id: "echo-says" }] },
  },
  {
    tool: "pth_list_tests",
    input: { generatedFrom: "manual" },
    commands: {
      tests: {
        list: () => [test],
        problems: () => [],
      },
    },
    text: /^1 test: 1 from manual\n- echo-says \[tier 1, manual\]$/,
    data: { total: 1, tests: [{ id: "echo-says", expect: undefined }] },
  },
  {
    tool: "pth_list_tests",
    input: {},
    commands: {
      tests: {
        list: () => [test],
        problems: () => [{ file: "a.yaml", line: 3, column: 5, message: "expected text" }],
      },
    },
    text:
      /^1 test: 1 from manual\n- echo-says [^\n]*\nNot loaded, 1 mistake in test files:\n- a\.yaml:3:5 expected text\nCorrect them, then pth_load_plugin/,
    data: { total: 1, problems: [{ file: "a.yaml", line: 3 }] },
  },
  {
    tool: "pth_run_test",
    input: { id: "echo-says" },
    commands: {
      tests: {
        list: () => [test],
        run: ok(failure),
      },
    },
    text:
      /^✗ echo-says \[wrong-output\] \(12 ms\)\n {4}expected a\n {4}actual b\n {4}stderr:\n {4}last words$/,
    data: { result: { status: "failed" } },
  },
  {
    tool: "pth_run_test_suite",
    input: { workers: "2", failedOnly: true },
    commands: {
      tests: {
        runSuite: ok({
          summary,
          results: [failure, success],
          exercise: [
            { tool: "echo", state: "exercised" },
            { tool: "fetch", state: "refused", needs: "network", reason: "getaddrinfo" },
          ],
        }),
      },
    },
    text:
      /^2 tests: 1 passed, 1 failed, 1\.5 s\n✗ echo-says[^]*1 finding:[^]*1 of 2 tools exercised; not: fetch \(refused, needs the network\)\.\n[^]*pth_run_iteration\(\{ fixes \}\)\.$/,
    data: {
      summary,
      results: [{ message: "expected a\nactual b" }, { id: "echo-more", durationMs: undefined }],
    },
  },
  {
    tool: "pth_get_test_results",
    input: { detail: true },
    commands: {
      tests: {
        results: () => ({ summary, results: [failure, success], findings: [] }),
      },
    },
    text: /^2 tests[^]*✗ echo-says[^]*✓ echo-more \(12 ms\)\nNext: pth_diagnose_failure\(\{\}\)\.$/,
    data: { results: [{ id: "echo-says" }, { id: "echo-more", durationMs: 12 }] },
  },
  {
    tool: "pth_create_test",
    input: { yaml: "name: x" },
    commands: {
      tests: {
        create: ok(test),
      },
    },
    text: /^Test echo-says created in \.pth\/tests\/echo\.yaml/,
    data: { test: { id: "echo-says" } },
  },
  {
    tool: "pth_edit_test",
    input: { id: "echo-says", yaml: "name: x" },
    commands: {
      tests: {
        edit: ok(test),
      },
    },
    text: /^Test echo-says saved/,
    data: { test: { id: "echo-says" } },
  },
  {
    tool: "pth_delete_test",
    input: { id: "echo-says" },
    commands: {
      tests: {
        delete: ok({ test, yaml: "name: x\n", file: "kept", others: 2 }),
      },
    },
    text: /^Test echo-says deleted\. .* stays, with 2 other tests\.\n[^]*\nname: x$/,
    data: { deleted: { id: "echo-says" }, yaml: "name: x\n" },
  },
  {
    tool: "pth_complete_test_run",
    input: { runId: "r1", abandon: "no tool does it" },
    commands: {
      agentRuns: {
        abandon: ok({ ...success, status: "skipped", note: "abandoned: no tool does it" }),
      },
    },
    text: /^- echo-more \(12 ms\)\n {4}abandoned: no tool does it$/,
    data: { result: { status: "skipped" } },
  },
  {
    tool: "pth_record_calls",
    input: { action: "start", name: "orders" },
    commands: {
      tests: {
        recordCalls: { start: () => {}, stop: () => Promise.reject(new Error("not yet")) },
      },
    },
    text: /^Recording "orders"\. Next: pth_call_plugin_tool\(\{ tool, input \}\), then pth_record_calls/,
    data: { recording: "orders" },
  },
  {
    tool: "pth_record_calls",
    input: { action: "stop" },
    commands: {
      tests: {
        recordCalls: {
          start: () => {},
          stop: ok({ test, result: failure, kept: false, yaml: "name: x\n", calls: 2, leftOut: 1 }),
        },
      },
    },
    text: /^Not saved: 2 calls recorded[^]*1 call too many: left out\.\n✗ echo-says[^]*\nname: x$/,
    data: { kept: false, calls: 2, yaml: "name: x\n" },
  },
  {
    tool: "pth_export_ci",
    commands: {
      export: {
        ci: ok({
          folder: "/tmp/w",
          tests: 2,
          standing: { state: "failed", text: "1 of 2 tests fails." },
          written: [".pth/ci/run-tests.mjs"],
          secrets: ["TOKEN"],
          commit: "c".repeat(40),
        }),
      },
    },
    text:
      /^2 tests exported to \/tmp\/w\nNot verified to pass: 1 of 2 tests fails\.[^]*secrets: TOKEN\nCommitted as c{12}\./,
    data: { tests: 2, standing: { state: "failed" } },
  },
  {
    tool: "pth_fuzz_tools",
    input: { tools: ["echo"] },
    commands: {
      tests: {
        fuzz: ok({
          seed: 7,
          runs: 100,
          tools: [{ tool: "echo", calls: 100, accepted: 60, refused: 40 }],
          finds: [{
            tool: "echo",
            oracle: "crash",
            severity: "failure",
            category: "runtime-exception",
            message: "it exited with 1",
            signature: "exited",
            original: { text: "abc" },
            input: { text: "" },
            shrinks: 2,
            shrinkMs: 30,
            confirmed: true,
            seed: 1,
            path: "0:1",
            test,
            yaml: "name: x",
          }],
          heldBack: [{ tool: "drop", reason: "destructiveHint" }],
          restarts: 3,
          durationMs: 900,
        }),
      },
    },
    text:
      /^1 fault in 1 tool, 100 inputs \(at most 100 each\), seed 7[^]*✗ echo: crash \[runtime-exception\]\n {4}it exited with 1\n {4}input: \{"text":""\}[^]*again: pth_run_test\(\{ id: "echo-says" \}\)\nExcluded, destructiveHint: drop\nagain: pth_fuzz_tools\(\{"tools":\["echo"\],"seed":7,"runs":100\}\)$/,
    data: { seed: 7, finds: [{ test: "echo-says", yaml: undefined }] },
  },
  {
    tool: "pth_get_coverage_report",
    commands: {
      coverage: {
        report: () => coverage,
      },
    },
    text: /^lines 1 of 2 \(50 %\)[^]*tool echo: its error branch at a\.js:2 is never exercised$/,
    data: { collector: "v8", files: [{ path: "a.js", covered: 1, total: 2 }], gaps: [{ tool: "echo" }] },
  },
  {
    tool: "pth_get_coverage_report",
    input: { format: "json" },
    commands: {
      coverage: {
        report: () => coverage,
      },
    },
    text: /^\{"collector":"v8","files":\[\{"path":"a\.js","lines":\{"1":1,"2":0\}/,
    data: { files: [{ lines: { 1: 1, 2: 0 } }] },
  },
  {
    tool: "pth_get_test_impact",
    input: { files: ["a.js:1-2"] },
    commands: {
      tests: {
        list: () => [test],
      },
      coverage: {
        impact: ok({
          source: "measured",
          tests: ["echo-says"],
          changes: [{ path: "a.js", lines: [1, 2], tests: ["echo-says"], reason: "it runs it" }],
          unknown: ["b.js"],
          notes: [],
        }),
      },
    },
    text:
      /^1 test of 1 affected, as measured\.\na\.js:1-2: 1 test, it runs it\necho-says\nb\.js is unknown to the map/,
    data: { tests: ["echo-says"], unknown: ["b.js"] },
  },
  {
    tool: "pth_run_performance_suite",
    commands: {
      plugin: {
        measurePerformance: ok(performanceReport),
      },
    },
    text:
      /^1 tool measured with up to 20 calls each, 2 not; [^]*p50 ms[^]*\necho [^]*\nNot measured: drop, wipe \(destructive\)\nfrom \/proc$/,
    data: { tools: [{ tool: "echo", responseMs: { p50: 2 } }] },
  },
  {
    tool: "pth_get_performance_report",
    input: { detail: true },
    commands: {
      report: () =>
        ({
          performance: performanceReport,
          staleMeasurements: { performance: { results: 1, stale: 1, behind: 1, commit: "abc" } },
        }) as unknown as RunReport,
    },
    text: /^1 tool measured[^]*The results are of commit abc, 1 fix older than the branch\.[^]*\necho /,
    data: { calls: 20, stale: { behind: 1 } },
  },
  {
    tool: "pth_apply_fix",
    input: { title: "add", edits: '[{"path":"a.ts","find":"-","replace":"+"}]', tests: ["echo-says"] },
    commands: {
      fixes: {
        apply: ok({ fix, snapshot: "before-fix-1" }),
      },
      ...untested,
      tests: { ...untested.tests, list: () => [] },
    },
    text: /^Committed a{10} add in a\.ts\nA snapshot was taken before[^]*Next: pth_load_plugin\(\{\}\), then/,
    data: { fix: { commit: fix.commit }, snapshot: "before-fix-1" },
  },
  {
    tool: "pth_revert_fix",
    input: { commit: "aaaaaaaaaa" },
    commands: {
      fixes: {
        revert: ok({ revert: { ...fix, type: "revert" }, rolledBack: true, lostSnapshot: false, reload }),
      },
      ...untested,
    },
    text:
      /^Committed a{10} add in a\.ts[^]*environment is as it was before[^]*The plugin runs with it: 1 tool \(changed echo\)/,
    data: { rolledBack: true, reload: { tools: { total: 1 } } },
  },
  {
    tool: "pth_get_fix_history",
    input: { iteration: "2" },
    commands: {
      fixes: {
        history: ok({
          records: [fix],
          total: 3,
          patterns: {
            oscillating: [{ test: "echo says", commits: [fix.commit] }],
            repeated: [{ file: "a.ts", commits: [fix.commit] }],
          },
        }),
      },
    },
    text:
      /^1 of 3 commits match\nBack and forth: echo says[^]*\nAgain: a{10} make[^]*\n- a{10} fix: add \(wrong-output; iteration 2; for echo says; in a\.ts\)$/,
    data: { total: 3, commits: [{ commit: fix.commit }] },
  },
  {
    tool: "pth_diff_session",
    commands: {
      fixes: {
        diff: ok({
          base: "b".repeat(40),
          head: fix.commit,
          commits: 1,
          added: 1,
          removed: 2,
          files: [{ path: "a.ts", added: 1, removed: 2 }, { path: "new.png", from: "old.png" }],
          diff: "--- a/a.ts\n",
        }),
      },
    },
    text:
      /^1 commit since b{10}: 2 files changed, 1 line added, 2 removed\n- a\.ts: \+1 −2\n- old\.png → new\.png: binary\n--- a/,
    data: { commits: 1, diff: "--- a/a.ts\n" },
  },
  {
    tool: "pth_diff_session",
    commands: {
      fixes: {
        diff: ok(undefined),
      },
    },
    text: /^Nothing is committed/,
    data: { commits: 0, files: [] },
  },
];

for (const answer of cases) {
  t.test(`${answer.tool} ${JSON.stringify(answer.input ?? {})}`, (t) => checkAnswer(t, answer));
}

t.test("a tool that the plugin does not have is refused with those that it has", async (t) => {
  const server = await connect({
    commands: {
      plugin: {
        tools: () => [echo],
      },
    },
  });
  await server.call("pth_start_session", { pluginPath: "/plugins/sample" });
  const result = await server.call("pth_list_plugin_tools", { tool: "ecco" });
  t.match(
    textOf(result),
    "Cannot show ecco: the plugin has no such tool [NO_SUCH_TOOL]\nNext:\n- Use one of: echo",
  );
  await server.hangUp();
});

t.test("every session tool is in this table, or has a test of its own", async (t) => {
  const own = await ownTests(fileURLToPath(new URL("../tools", import.meta.url)));
  const covered = new Set(cases.map(({ tool }) => tool));
  // Those whose answers only a real session gives: test/integration/mcp shows them.
  const elsewhere = [
    "pth_diagnose_failure",
    // These have a table of their own: test/src/tools/iteration_tools_test.ts.
    "pth_get_iteration_status",
    "pth_run_iteration",
    "pth_run_iteration_loop",
    "pth_check_contract",
    "pth_lint_plugin",
    "pth_update_plugin_docs",
    "pth_end_session",
    "pth_get_answer",
    "pth_get_more",
  ];
  const missing = registry.filter(({ name, definition }) =>
    definition.dormant !== true && !covered.has(name) && !own.has(name.replace(/^pth_/, ""))
  );
  t.strictSame(
    missing.map(({ name }) => name),
    elsewhere,
    "others have a test/src/tools/<category>/<name>_test.ts",
  );
});
