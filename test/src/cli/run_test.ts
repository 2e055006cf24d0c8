import { join } from "node:path";
import t from "tap";
import { runCli } from "../../../src/cli/main.ts";
import { PthError } from "../../../src/core/errors.ts";
import {
  makeTempDir,
  mkdir,
  pathExists,
  readTextFile,
  removeIfExists,
  writeTextFile,
} from "../../../src/platform/files.ts";
import type { Report } from "../../../src/testing/report/report_schema.ts";
import { keptContext, type Script, scriptedHarness } from "./scripted_harness.ts";

/** Runs `pth …` against a scripted harness. */
async function pth(args: string[], script: Script = {}, extras: Parameters<typeof keptContext>[1] = {}) {
  const played = scriptedHarness(script);
  const kept = keptContext(played, extras);
  const exitCode = await runCli(args, kept.context);
  return { exitCode, calls: played.calls, names: played.calls.map(({ name }) => name), ...kept };
}

const wholeWay = [
  "startSession",
  "discoverTests",
  "provision",
  "load",
  "generateTests",
  "runSuite",
  "endSession",
];

async function folder(t: { teardown(work: () => unknown): void }): Promise<string> {
  const path = await makeTempDir({ prefix: "pth-cli-test-" });
  t.teardown(() => removeIfExists(path));
  return path;
}

t.test("run goes from the target to the end of the session and answers by the results", async (t) => {
  const failed = await pth(["run", "./sample"]);
  t.same(failed.names, wholeWay);
  t.equal(failed.exitCode, 1);
  t.match(failed.stdout(), "5 tests: 2 passed, 1 failed");
  t.same(failed.calls[0]!.args, [{ target: "./sample", variables: {}, secrets: {}, copies: [] }, {
    mode: "run",
    force: false,
  }]);
  const passed = await pth(["run", "./sample"], { failed: 0 });
  t.equal(passed.exitCode, 0, "flaky and skipped tests are no failures");
});

t.test("inputs are learned where tools refused theirs, and their tests run; not where a choice or an option says so", async (t) => {
  const exercise: Script["exercise"] = [
    { tool: "get", state: "refused", needs: "fixture", reason: "not found" },
    { tool: "fetch", state: "refused", needs: "network", reason: "getaddrinfo ENOTFOUND" },
    { tool: "stop", state: "refused", needs: "credential", reason: "log in first: call fetch" },
    { tool: "list", state: "exercised" },
  ];
  const script = { exercise, failed: 0 };
  const learned = await pth(["run", "./sample"], script);
  t.same(learned.names, [...wholeWay.slice(0, -1), "learn", "runSuite", "endSession"]);
  t.same(learned.calls.find(({ name }) => name === "learn")!.args, [{ tools: ["get", "stop"] }]);
  t.match(learned.calls.findLast(({ name }) => name === "runSuite")!.args, [{ ids: [/./] }]);
  for (
    const args of [["--no-learn"], ["--grep", "x"], ["--coverage"], ["--shard", "1/2"]]
  ) {
    t.same((await pth(["run", "./sample", ...args], script)).names, wholeWay, args.join(" "));
  }
  const path = join(await folder(t), "learned.yaml");
  const kept = await pth(["run", "./sample", "--learned", path], script);
  t.match(kept.calls.find(({ name }) => name === "learn")!.args, [{ output: path }]);
  const both = await pth(["run", "./sample", "--learned", path, "--no-learn"], script);
  t.equal(both.exitCode, 2);
  t.match(both.stderr(), "--learned keeps what is found, and --no-learn finds nothing");
});

t.test("a tier or a runtime in the options stands above both in the file", async (t) => {
  const path = await folder(t);
  const config = join(path, "env.yaml");
  const provisioned = async (file: string, ...options: string[]) => {
    await writeTextFile(config, file);
    const { calls } = await pth(["run", "./sample", "--config", config, ...options]);
    return calls.find(({ name }) => name === "provision")!.args[0];
  };
  t.same(await provisioned("runtime: docker\n", "--env-tier", "2"), { tier: 2 });
  t.same(await provisioned("tier: 3\n", "--env", "docker"), { runtime: "docker" });
  t.same(await provisioned("tier: 3\n", "--env", "auto"), { runtime: "auto", tier: 3 });
  t.same(await provisioned("runtime: vm\ntier: 3\n"), { runtime: "vm", tier: 3 });
});

t.test("options reach the requests that they are meant for", async (t) => {
  const path = await folder(t);
  const config = join(path, "env.yaml");
  await writeTextFile(
    config,
    "runtime: host\nbase_image: debian13\nresources: { cpus: 4, memory_mb: 256 }\ntarget_plugin: { build_command: make }\n",
  );
  const { calls, harnesses } = await pth(
    [
      ...[
        "run",
        "--command",
        'node "my server.js"',
        "--config",
        config,
        "--env",
        "docker",
        "--memory",
        "2g",
      ],
      ...[
        "--var",
        "A=1=2",
        "--secret",
        "TOKEN",
        "--workers",
        "4",
        "--timeout",
        "2.5",
        "--strict",
        "--bail",
        "1",
      ],
      ...[
        "--grep",
        "^echo",
        "--tag",
        "fast",
        "--tier",
        "1",
        "--isolation",
        "per_test",
        "--include-destructive",
        "--force",
      ],
      ...[
        "--keep",
        "--record",
        join(path, "events.jsonl"),
        "--copy",
        `${config}:/etc/env.yaml`,
        "--",
        "--port",
        "1",
      ],
    ],
    {},
    { variables: { TOKEN: "s3cret" } },
  );
  t.match(harnesses, [{ recordFile: join(path, "events.jsonl"), announce: { command: "run" } }]);
  const [start, discovered, provision, load, generate, suite, end] = calls.map(({ args }) => args);
  t.same(start, [{
    command: ["node", "my server.js"],
    args: ["--port", "1"],
    variables: { A: "1=2" },
    secrets: { TOKEN: "s3cret" },
    copies: [{ hostPath: config, envPath: "/etc/env.yaml" }],
  }, { mode: "run", force: true }]);
  t.same(discovered, []);
  t.same(provision, [{
    runtime: "docker",
    baseImage: "debian13",
    targetPlugin: { buildCommand: "make" },
    resources: { cpus: 4, memoryMB: 2048 },
  }]);
  t.same(load, [{}]);
  t.same(generate, [{ includeHeldBack: true }]);
  t.same(suite, [{
    workers: 4,
    grep: "^echo",
    tag: "fast",
    tier: 1,
    timeoutSeconds: 2.5,
    isolation: "per_test",
    strict: true,
    bail: 1,
  }]);
  t.same(end, [{ keep: true }]);
});

t.test("what cannot start is an error with its output, exit 3, and the session still ends", async (t) => {
  const path = await folder(t);
  const out = join(path, "deep/out.json");
  const error = new PthError("INSTALL_FAILED", "Cannot install plugin: npm exited with 1", {
    output: Array.from({ length: 60 }, (_, line) => `line ${line + 1}`).join("\n"),
    tried: ["npm install"],
    next: ["Run npm install by hand"],
  });
  const run = await pth([
    "run",
    "x",
    "--reporter",
    `json:${out}`,
    "--reporter",
    "junit:" + join(path, "o.xml"),
  ], {
    failAt: "load",
    error,
  });
  t.equal(run.exitCode, 3);
  t.same(run.names, ["startSession", "discoverTests", "provision", "load", "endSession"]);
  t.match(run.stderr(), "error Cannot install plugin: npm exited with 1");
  t.match(run.stderr(), "… 20 lines left out\n    line 21\n");
  t.match(run.stderr(), "Tried:\n    - npm install");
  t.match(run.stderr(), "Next:\n    - Run npm install by hand");
  const report = JSON.parse(await readTextFile(out)) as Report;
  t.match(report, { exit_code: 3, error: { code: "INSTALL_FAILED" }, environment: { runtime: "docker" } });
  t.match(await readTextFile(join(path, "o.xml")), "INSTALL_FAILED");
});

t.test("wrong use of the session's own finding is exit 2", async (t) => {
  const error = new PthError("NO_TESTS_MATCH", 'Cannot run tests: none matches --grep "zzz"');
  const run = await pth(["run", "x", "--grep", "zzz"], { failAt: "runSuite", error });
  t.equal(run.exitCode, 2);
});

t.test("one Ctrl-C ends cleanly with 130 and a report, even when a request hangs", async (t) => {
  const path = await folder(t);
  const played = scriptedHarness({ hangAt: "load", onRequest: (name) => name === "load" && strike() });
  const kept = keptContext(played);
  const strike = () => setTimeout(() => kept.interrupt("SIGINT"), 5);
  const out = join(path, "out.json");
  const exitCode = await runCli(["run", "x", "--keep", "--reporter", `json:${out}`], kept.context);
  t.equal(exitCode, 130);
  t.same(played.calls.at(-1), { name: "endSession", args: [{ keep: false }] });
  t.match(kept.stderr(), "Interrupted; cleaning up");
  t.notMatch(kept.stderr(), "error");
  t.match(JSON.parse(await readTextFile(out)), { exit_code: 130, error: { code: "INTERRUPTED" } });
});

t.test("SIGTERM is 143; a second signal ends at once", async (t) => {
  const played = scriptedHarness({
    hangAt: "endSession",
    failAt: "provision",
    onRequest: (name) => strike(name),
  });
  const kept = keptContext(played);
  const struck = new Promise<void>((resolve) => {
    kept.exits.push = (...codes) => {
      resolve();
      return Array.prototype.push.apply(kept.exits, codes);
    };
  });
  const strike = (name: string) => {
    if (name === "provision" || name === "endSession") kept.interrupt("SIGTERM");
  };
  void runCli(["run", "x"], kept.context);
  await struck;
  t.same(kept.exits, [143]);
});

t.test("what stays is said, also when it could not be removed", async (t) => {
  const { stderr } = await pth(["run", "x", "--keep"], {
    end: { kept: ["container pth-e1", "worktree /tmp/w"], leftBehind: ["/tmp/z: permission denied"] },
  });
  t.match(stderr(), "Kept (pth clean --all removes it):\n  container pth-e1\n  worktree /tmp/w\n");
  t.match(stderr(), "Could not remove:\n  /tmp/z: permission denied");
});

t.test("tests that cannot be written do not cost the reports", async (t) => {
  const path = await folder(t);
  await mkdir(join(path, "tests.yaml"));
  const { exitCode, stderr, names } = await pth(["run", "x", "--output", path]);
  t.equal(exitCode, 3);
  t.match(stderr(), "Cannot write tests.yaml: ");
  t.ok(await pathExists(join(path, "report.json")));
  t.ok(await pathExists(join(path, "junit.xml")));
  t.equal(names.at(-1), "endSession");
});

t.test("--output holds both reports and the tests; a test file replaces generation", async (t) => {
  const path = await folder(t);
  const file = join(path, "a.yaml");
  await writeTextFile(
    file,
    "name: says it\ntool: echo\ninput: { message: hi }\nexpect: { output_contains: hi }\n",
  );
  const { names, calls, stdout } = await pth(["run", "x", "--tests", file, "--output", join(path, "out")]);
  t.same(names, ["startSession", "useTests", "provision", "load", "runSuite", "endSession"]);
  t.same(calls[1]!.args, [file]);
  for (const name of ["report.json", "junit.xml", "tests.yaml"]) {
    t.ok(await pathExists(join(path, "out", name)), name);
    t.match(stdout(), join(path, "out", name));
  }
});

t.test("a report on stdout stands there alone", async (t) => {
  const { stdout } = await pth(["run", "x", "--reporter", "json"]);
  t.match(JSON.parse(stdout()), { schema: "pth-report/1" });
});

t.test("a secret that is not in the environment is asked for, and a refusal starts nothing", async (t) => {
  const asked: string[] = [];
  const answered = await pth(["run", "x", "--secret", "TOKEN"], {}, {
    askHidden: (question) => {
      asked.push(question);
      return Promise.resolve("typed");
    },
  });
  t.same(asked, ["TOKEN (not shown): "]);
  t.match(answered.calls[0]!.args[0], { secrets: { TOKEN: "typed" } });
  const refused = await pth(["run", "x", "--secret", "TOKEN"], {}, {
    askHidden: () => Promise.resolve(undefined),
  });
  t.equal(refused.exitCode, 130);
  t.same(refused.calls, []);
});
