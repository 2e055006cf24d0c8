// test: timeout=400
/** A plugin with a fault on one distribution only: found by the matrix, mended for that distribution, the primary verified again. */
import { join } from "node:path";
import t, { type Test } from "tap";
import { readTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import docker from "../../../src/runtimes/docker.ts";
import { fixer, iteratePlace } from "../../support/iterate_place.ts";
import { pth, root, startPth } from "../../support/pth.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { fixture, makePlace, runPth } from "../../support/pth_run.ts";
import { nextStepsFor } from "../../../src/core/next_step.ts";

t.setTimeout(400_000);

const unready = (await Promise.all(["debian12", "debian13"].map((image) => docker.probe(image))))
  .filter(({ ready }) => !ready).map(({ reason, next = [] }) =>
    [reason, ...nextStepsFor("terminal", next)].join("; ")
  );
/** Both images have to be there. */
const options = unready.length === 0 ? {} : { skip: unready.join("; ") };

const matrix = ["--env", "docker", "--matrix", "debian12,debian13"];
const own = "hash_password - as /etc/shadow keeps it";

/** The fixture in a folder of the test's own, with its hand-written tests. */
async function copied(t: Test) {
  const place = await makePlace(t);
  const plugin = join(place.folder, "plugin");
  await runCommand(["cp", "-r", fixture("distro_plugin"), plugin]);
  return { place, plugin, tests: join(plugin, ".pth/tests") };
}

t.test("what belongs to one distribution is told apart, in one report of both", options, async (t) => {
  const { place, plugin, tests } = await copied(t);
  const { code, stdout, report } = await runPth(place, [plugin, ...matrix, "--tests", tests]);
  t.equal(code, 1, stdout);
  t.match(report.matrix?.entries, [
    { name: "debian12", state: "passed", environment: { os: /bookworm/ }, summary: { failed: 0 } },
    { name: "debian13", state: "failed", environment: { os: /trixie/ }, summary: { failed: 1 } },
  ]);
  t.match(report.matrix?.differences, [{
    name: own,
    fails_on: ["debian13"],
    everywhere: false,
    statuses: [{ entry: "debian12", status: "passed" }, { entry: "debian13", status: "failed" }],
    cause: { message: /crypt/, place: /^server\.py:\d+$/ },
  }]);
  t.same(
    report.tests.map(({ name, status }) => [name, status]),
    [
      [`${own} [debian12]`, "passed"],
      ["greet - by name [debian12]", "passed"],
      [`${own} [debian13]`, "failed"],
      ["greet - by name [debian13]", "passed"],
    ],
  );
  t.match(stdout, "Matrix: 1 test fails only on debian13");
});

t.test("an environment that cannot be had is told, and the others are tested", async (t) => {
  const { place, plugin, tests } = await copied(t);
  const args = [plugin, "--matrix", "host,docker:example/none:1", "--tests", tests, "--grep", "greet"];
  const { code, stderr, report } = await runPth(place, args);
  t.equal(code, 3, stderr);
  t.match(report.matrix?.entries, [{ state: "passed", summary: { total: 1 } }, {
    state: "broken",
    error: {},
  }]);
  t.match(stderr, "Cannot test on docker:example/none:1");
  t.match(stderr, "Next:");
});

t.test(
  "the loop mends it for that distribution alone, and verifies the primary one again",
  options,
  async (t) => {
    const place = await iteratePlace(t, "distro_plugin");
    const tests = join(place.plugin, ".pth/tests");
    const { code, stdout, stderr } = await place.iterate(
      fixer("mend_distro_plugin.mjs"),
      ...matrix,
      "--tests",
      tests,
    );
    t.equal(code, 0, stdout + stderr);
    t.match(stdout, "1 test failed only on debian13; all pass now");
    t.match(stdout, "Verified on debian13, and on debian12 again, after 1 fix for other distributions.");
    const branch = await place.branch();
    t.same(await place.commits("fix"), ["fix: Hash passwords without the module crypt on debian13"]);
    const trailer = "--format=%(trailers:key=PTH-Distro,valueonly,separator=%x2C)";
    const distros = (await place.git("log", trailer, `main..${branch}`)).split("\n").filter(Boolean);
    t.same(distros, ["debian13"], "its commit says for which");
    const report = await place.git("show", `${branch}:.pth/SESSION-REPORT.md`);
    t.match(report, /## Distributions\n\n1 test failed only on debian13; all pass now/);
    t.match(report, "### dependency-error (only debian13)");
    const state = JSON.parse(await place.git("show", `${branch}:.pth/session-state.json`));
    t.match(state.records.map(({ distro }: { distro?: string }) => distro), [
      undefined,
      "debian13",
      "debian12",
    ]);
  },
);

t.test("a client is asked for the fix, and says whom it is for", options, async (t) => {
  const client = await openSessionClient(t);
  const source = await readTextFile(join(fixture("distro_plugin"), "server.py"));
  const files = {
    "server.py": source,
    ".mcp.json": await readTextFile(join(fixture("distro_plugin"), ".mcp.json")),
    ".pth/tests/accounts.yaml": await readTextFile(
      join(fixture("distro_plugin"), ".pth/tests/accounts.yaml"),
    ),
  };
  if (!await client.begin(t, files, "docker")) return;
  await client.succeed(t, "pth_run_test_suite");
  await refusals(t, client.call);

  const awaiting = await client.succeed(t, "pth_verify_cross_distro", { images: ["debian13"] });
  t.match(awaiting.data, { state: "awaiting_fixes", at: "debian13", standing: { failed: 1 } });
  t.match(awaiting.text, "1 test fails only on debian13");
  const fix = {
    tests: [own],
    title: "hash with the C library where Python has no crypt",
    distro: "debian13",
    edits: [{ path: "server.py", find: /def hash_password[\s\S]*?\n\n\n/.exec(source)![0], replace: mended }],
  };
  const end = await client.succeed(t, "pth_verify_cross_distro", { fixes: [fix] });
  t.match(end.data, { state: "complete", primaryVerified: true, fixes: [{ distro: "debian13" }] }, end.text);
  const inspected = await client.succeed(t, "pth_inspect_environment");
  t.match(inspected.text, /bookworm/, "the environment is the primary one again");
  const status = await client.succeed(t, "pth_get_iteration_status");
  t.match(status.text, "Distributions: debian13 2/2, debian12 2/2");
  await client.succeed(t, "pth_end_session");
});

const mended = `def hash_password(arguments):
    password, salt = text_of(arguments, "password"), "$6$" + text_of(arguments, "salt")
    try:
        from crypt import crypt
    except ImportError:
        import ctypes

        library = ctypes.CDLL("libcrypt.so.1")
        library.crypt.restype = ctypes.c_char_p
        return library.crypt(password.encode(), salt.encode()).decode()
    return crypt(password, salt)


`;

/** What is asked wrongly is told, and changes nothing. */
async function refusals(t: Test, call: Awaited<ReturnType<typeof openSessionClient>>["call"]): Promise<void> {
  const cases: [Record<string, unknown>, RegExp][] = [
    [{}, /no images are named/],
    [{ images: ["debian13"], skip: true }, /give images, fixes or skip/],
    [{ images: ["debain13"] }, /did you mean "debian13"/],
    [{ images: ["debian13", "pth-base-debian13"] }, /debian13 is listed twice/],
    [{ images: ["debian12"] }, /no other distribution than the primary one, debian12/],
    [{ images: ["debian13"], primary: "ubuntu2404" }, /primary ubuntu2404 is neither/],
    [{ skip: true }, /none awaits fixes/],
  ];
  for (const [input, problem] of cases) {
    const { isError, text } = await call("pth_verify_cross_distro", input);
    t.ok(isError, JSON.stringify(input));
    t.match(text, problem);
  }
}

t.test("Ctrl-C ends all environments of the matrix, and leaves none", options, async (t) => {
  const { place, plugin } = await copied(t);
  const args = ["run", plugin, ...matrix, "--reporter", "spec"];
  const started = await startPth(args, place.env);
  let said = "";
  await new Promise<void>((resolve) => {
    started.stdout.on("data", (chunk: unknown) => {
      said += String(chunk);
      if (/provision docker, debian/.test(said)) resolve();
    });
    void started.exited.then(() => resolve());
  });
  started.kill("SIGINT");
  const { code } = await started.exited;
  t.equal(code, 130, said);
  const sessions = [...said.matchAll(/pth-worktree-([0-9a-f]{8})/g)].map(([, id]) => id!);
  t.ok(sessions.length >= 1, said);
  const { stdout } = await runCommand(["docker", "ps", "-a", "--format", "{{.Names}}"]);
  for (const session of sessions) t.notMatch(stdout, session, "no container is left");
});

t.test("what does not fit a matrix is refused before anything starts", async (t) => {
  const cases: [string[], string][] = [
    [["--matrix", "debian12,debain13"], 'did you mean "debian13"'],
    [["--matrix", "debian12,debian12"], "listed twice"],
    [["--matrix", "debian12"], "two entries or more"],
    [["--matrix", "debian12,debian13", "--watch"], "--watch cannot be combined with --matrix"],
    [["--matrix", "debian12,debian13", "--shard", "1/2"], "--shard cannot be combined with --matrix"],
    [["--matrix", "debian12,debian13", "--last-failed"], "--last-failed cannot be combined with --matrix"],
    [["--parallel", "2"], "--parallel needs --matrix"],
  ];
  const all = await Promise.all(
    cases.map(([args]) => pth(["run", join(root, "test/fixtures/distro_plugin"), ...args])),
  );
  all.forEach(({ code, stderr }, index) => {
    t.equal(code, 2, stderr);
    t.match(stderr, cases[index]![1]);
  });
});
