/**
 * Faults that are planted in five small servers, each found by `pth run` alone and told by name, and the same servers without
 * them, of which nothing is told. `docs/faults.md` lists them.
 */
import { join } from "node:path";
import t from "tap";
import { readiness } from "../../support/readiness.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { failures, makePlace, type Ran, runPth, story } from "../../support/pth_run.ts";

interface Server {
  name: string;
  command: string;
  /** Faults, each by what is told of it: "failure: …" or "finding: …" with code, tool and message. */
  told: Record<string, RegExp>;
}

const failure = (of: string, words: string) => new RegExp(`^failure: ${of}.*${words}`, "m");
const finding = (code: string, tool: string, words: string) =>
  new RegExp(`^finding: \\w+ ${code} ${tool}: .*${words}`, "m");

const servers: Server[] = [
  {
    name: "plain",
    command: "node server.mjs",
    told: {
      "noise on stdout at the start": failure(
        "server - writes nothing but the protocol",
        "planted-plain is ready",
      ),
      "noise on stdout during a call": failure("count_words", "wrote a line on stdout.*counting in"),
      "noise on stdout at the end": finding("stdout-noise", "-", "after its input had ended.*good-bye"),
      "a ping that is not answered": failure("server - answers a ping", "Method not found"),
      "an unknown method that gets a result": failure(
        "server - answers a method that it does not have",
        "result",
      ),
      "a request at the start that the client does not offer": failure(
        "server - requests nothing",
        "roots/list",
      ),
      "a request that is answered twice": finding("answered-twice", "pick_note", "a second answer"),
      "an error that is told as a success": finding("error-told-as-success", "read_note", "could not read"),
      "a success that is told as an error": finding(
        "success-told-as-error",
        "check_note",
        "checked successfully",
      ),
      "[object Object] in an answer": finding("value-missing-in-answer", "describe_note", "object Object"),
      "NaN in an answer": finding("value-missing-in-answer", "rate_note", "NaN"),
    },
  },
  {
    name: "sdk",
    command: "node server.mjs",
    told: {
      "a cancelled call that ends the server": failure(
        "server - goes on after a call",
        "a call of \\w+ was cancelled",
      ),
      "progress that does not increase": finding("progress-misused", "render", "did not increase"),
      "progress for a token that nobody gave": finding("progress-misused", "scan", "never given"),
      "progress after the answer": finding("progress-misused", "print", "after the answer"),
      "a request during a call that the client does not offer": finding(
        "undeclared-request",
        "summarize",
        "sampling/createMessage",
      ),
      "a rejected promise that nobody handles": finding("unhandled-error", "\\S+", "the archive is closed"),
      '"undefined" in a structured answer': finding("value-missing-in-answer", "measure", "undefined"),
    },
  },
  {
    name: "python",
    command: "python3 server.py",
    told: {
      "a type that is not enforced": finding("schema-not-enforced", "scale_recipe", "wrong type"),
      "an enum that is not enforced": finding("schema-not-enforced", "convert_unit", "outside its enum"),
      "a schema with wider limits than the server": finding(
        "schema-wider-than-server",
        "bake",
        "degrees = 250",
      ),
      "a schema with a wider enum than the server": finding(
        "schema-wider-than-server",
        "bake",
        'mode = "fan"',
      ),
      "a default that is not applied": finding("default-not-applied", "list_recipes", "most = 2"),
      "a description with another default": finding(
        "contradicting-default",
        "list_recipes",
        "2 in its schema, and 3",
      ),
      "a thread that dies of an error": finding("unhandled-error", "\\S+", "Exception in thread"),
      "a process that is left behind": failure("server - leaves no process", "sleep 300"),
      "a mistake in the code": failure("weigh_room", "did not foresee"),
      "a list whose pages repeat an item": failure("server - pages its lists", "repeats .*soup"),
    },
  },
  {
    name: "threads",
    command: "python3 server.py",
    told: {
      "answers to calls at once that are mixed up": failure(
        "server - answers calls that are made at once",
        "beside",
      ),
      "a server that goes on after the end of its input": failure("server - ends by itself", "SIGTERM"),
      "a process that SIGTERM to the server leaves running": finding(
        "left-by-sigterm",
        "-",
        "ran on: sleep 300",
      ),
      "a tool that is listed twice": failure("server - lists tools", "shout: name: 2 tools"),
      "content that is no array": failure("whisper", "not an array"),
      "an answer against the outputSchema": failure("spell", "must be integer"),
    },
  },
  {
    name: "perl",
    command: "perl server.pl",
    told: {
      "a call that ends the server": failure("forecast", "exited with 3"),
      "a trace that shows in an answer": failure("sunset", "did not foresee"),
      "a list that is none": failure(
        "server - answers what its capabilities",
        "resourceTemplates.*not an array",
      ),
      "a list that is not advertised": finding("capability-not-advertised", "-", "prompts"),
      "logging that cannot be set": finding("capability-not-answered", "-", "logging/setLevel"),
      "a cursor that is null at the end": finding("null-cursor", "-", "resources/list"),
    },
  },
];

/** All that a run told, a line each. */
const lines = ({ report }: Ran): string =>
  [
    ...failures(report).map(({ name, message = "" }) => `failure: ${name}: ${message}`),
    ...report.findings.map(({ severity, code, tool = "-", message }) =>
      `finding: ${severity} ${code} ${tool}: ${message}`
    ),
  ].map((line) => line.replaceAll("\n", " / ")).join("\n");

const { sandbox } = await readiness();

// One works while the other waits.
t.jobs = 2;

t.test("faults in five servers are found, each by its name; the servers without them are clean", {
  buffered: true,
}, async (t) => {
  const place = await makePlace(t);
  const turns = openCliTurns();
  t.teardown(() => turns.close());
  const run = (plugin: string, command: string, ...more: string[]) =>
    runPth(place, [plugin, "--env", "host", "--command", command, ...more], {}, turns.run);
  for (const { name, command, told } of servers) {
    const plugin = await copyFixture(
      join("planted_faults", name),
      place.folder,
      name === "sdk" ? "vendor" : "registry",
    );
    const healthy = await run(plugin, command);
    t.equal(healthy.code, 0, story(healthy));
    t.equal(lines(healthy), "", `${name} without faults`);
    const faulty = await run(plugin, `${command} --faulty`);
    t.equal(faulty.code, 1, name);
    for (const [fault, words] of Object.entries(told)) t.match(lines(faulty), words, `${name}: ${fault}`);
    if (name === "plain") {
      const noise = lines(faulty).match(/^failure: count_words.* on stdout.*$/gm) ?? [];
      t.equal(noise.length, 1, "one failure for all noise of the tool");
      t.match(noise[0], /it did so in \d+ more tests?,/);
    }
    if (name === "python") {
      t.match(faulty.stdout, 'for example: scale_recipe accepted {"factor":"not a number"}');
    }
  }
  t.ok(servers.flatMap(({ told }) => Object.keys(told)).length >= 30, "thirty of them and more");
});

t.test("code without end that a tool's own limit does not end is found in an isolated environment", {
  skip: sandbox,
  buffered: true,
}, async (t) => {
  const place = await makePlace(t);
  const turns = openCliTurns();
  t.teardown(() => turns.close());
  const plugin = await copyFixture("planted_faults/sdk", place.folder, "vendor");
  const run = (command: string) =>
    runPth(
      place,
      [plugin, "--env", "sandbox", "--command", command, "--grep", "never ends", "--allow-unexercised"],
      {},
      turns.run,
    );
  const faulty = await run("node server.mjs --faulty");
  t.match(lines(faulty), failure("server - ends code that never ends", "run_code was given 1 s"));
  const healthy = await run("node server.mjs");
  t.equal(healthy.code, 0, story(healthy));
  t.equal(healthy.report.summary.passed, 1);
});
