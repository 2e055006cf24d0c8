// test: timeout=120
/** Test sessions of the real pi, in this process; `.ci/run` installs it, and without it these tests skip. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { PthError } from "../../../src/core/errors.ts";
import { readDir } from "../../../src/platform/files.ts";
import { readEnv } from "../../../src/platform/host.ts";
import {
  createTestSession,
  type TestSessionOptions,
} from "../../../src/test_sessions/create_test_session.ts";
import { importPi } from "../../../src/test_sessions/pi_module.ts";
import { testSession } from "../../../src/test_sessions/test_session.ts";
import { tmpdir } from "node:os";

const extensions = fileURLToPath(new URL("../../fixtures/pi_extensions/", import.meta.url));
const [garden, guard] = ["garden.ts", "guard.ts"].map((name) => join(extensions, name)) as [string, string];
const program = readEnv("PTH_PI");
if (program === undefined) t.test("pi", { skip: "PTH_PI names no pi" }, () => {});
else {
  const pi = await importPi(join(dirname(program), "../.."));
  const shell = (command: string) => ({ tool: "bash", input: { command } });
  const plant = { tool: "plant", input: { herb: "sage" } };

  t.test("two extensions work together: one has its tool called, the other blocks a call", async (t) => {
    const session = await testSession(t, {
      pi,
      extensions: [garden, guard],
      playbook: [{ calls: [plant, shell("rm -rf beds")] }, { text: "Sage is planted." }],
      mockUI: { confirm: true },
    });
    await session.prompt("Plant sage");
    t.match(session.events.toolCallsFor("bash"), [{ blocked: true, blockReason: "nothing is removed" }]);
    t.match(session.events.toolCallsFor("plant"), [{ blocked: false, input: { herb: "sage" } }]);
    t.match(session.events.toolResults.find(({ toolName }) => toolName === "plant"), {
      text: "planted sage",
      isError: false,
    });
    t.match(session.events.ui, [
      { method: "confirm", args: ["Plant", "Plant sage?"], answer: true },
      { method: "notify", args: ["sage grows"] },
    ]);
    t.ok(
      session.events.requests[0]!.tools.some(({ name }) => name === "plant"),
      "what the model was offered",
    );
  });

  t.test("tools are mocked, with texts, functions and errors, and hooks still see their calls", async (t) => {
    const session = await testSession(t, {
      pi,
      extensions: [guard],
      playbook: [
        { calls: [{ tool: "read", input: { path: "a" } }, shell("date"), shell("rm a")] },
        { calls: [{ tool: "write", input: { path: "a", content: "" } }] },
        { text: "Done." },
      ],
      mockTools: {
        read: "a text",
        bash: ({ command }) => `${command} was asked for`,
        write: () => Promise.reject(new Error("the disk is full")),
      },
    });
    await session.prompt("Work");
    const texts = session.events.toolResults.map(({ text, isError }) => `${text}${isError ? " (error)" : ""}`)
      .sort();
    t.same(texts, [
      "a text",
      "date was asked for",
      "nothing is removed (error)",
      "the disk is full (error)",
    ]);
  });

  t.test("prompts go on with the conversation, on a system prompt, tools and skills of the test", async (t) => {
    const greet = {
      name: "greet",
      label: "Greet",
      description: "Greets",
      parameters: { type: "object", properties: {} },
      execute: () => Promise.resolve({ content: [{ type: "text", text: "hello" }], details: {} }),
    };
    const skills = t.testdir({
      herbs: { "SKILL.md": "---\nname: herbs\ndescription: Knows herbs.\n---\nText\n" },
    });
    const session = await testSession(t, {
      pi,
      systemPrompt: "You are a gardener.",
      tools: [greet],
      skills: [join(skills, "herbs")],
      playbook: [
        {
          calls: [{ tool: "greet" }],
          expect: { system: { contains: ["gardener", "Knows herbs."] }, tools: ["greet"] },
        },
        { text: "First." },
        { text: "Second.", expect: { messages: { contains: "First." } } },
      ],
    });
    await session.prompt("One");
    await session.prompt("Two");
    t.equal(session.events.messages.filter(({ role }) => role === "user").length, 2);
  });

  t.test("all that does not go as planned is told, once, with its reason", async (t) => {
    const before = await sessionFolders();
    const failing: [string, TestSessionOptions, RegExp][] = [
      ["a playbook that runs dry", { playbook: [{ calls: [shell("echo hi")] }] }, /asked for one more/],
      ["turns that are left", { playbook: [{ text: "a" }, { text: "b" }] }, /turn 2 not played/],
      [
        "an expectation",
        { playbook: [{ text: "a", expect: { tools: ["none"] } }] },
        /no tool none is offered/,
      ],
      [
        "a dialog without an answer",
        { extensions: [garden], playbook: [{ calls: [plant] }, { text: "a" }] },
        /no answer to confirm\("Plant", "Plant sage\?"\): set mockUI\.confirm/,
      ],
      ["an option that there is not", {
        extensions: [
          (api) =>
            void api.on(
              "before_agent_start",
              (_: unknown, { ui }: { ui: { select(...args: unknown[]): unknown } }) =>
                ui.select("Bed", ["a", "b"]),
            ),
        ],
        playbook: [{ text: "a" }],
        mockUI: { select: "c" },
      }, /"c" is no option of select\("Bed", \["a","b"\]\)/],
      ["a hook that throws", {
        extensions: [(api) =>
          void api.on("before_agent_start", () => {
            throw new Error("oops");
          })],
        playbook: [{ text: "a" }],
      }, /before_agent_start: oops/],
      [
        "a prompt without end",
        { playbook: [{ calls: [shell("sleep 20")] }], timeoutMs: 200 },
        /within 200 ms/,
      ],
      ["no playbook", {}, /asked for one more|has no turn/],
      ["a playbook with mistakes", { playbook: [{ txt: "a" } as object] }, /unknown key "txt"/],
      ["an extension that is not there", { extensions: ["none.ts"] }, /none\.ts: .*not exist/],
      ["a mock of no tool", { mockTools: { nope: "" } }, /Cannot mock nope: the session has read, bash/],
      ["packages", { settings: { packages: ["npm:x"] } }, /install them globally/],
    ];
    for (const [name, options, reason] of failing) {
      const run = async () => {
        await using session = await createTestSession({ pi, ...options });
        await session.prompt("Work");
      };
      const error = await run().then(() => undefined, (error: unknown) => error);
      t.ok(error instanceof PthError && reason.test(error.message), `${name}: ${error}`);
    }
    t.same(await sessionFolders(), before, "nothing is left behind");
  });

  t.test("without pi its packages are named", async (t) => {
    await t.rejects(importPi(t.testdir()), {
      code: "TOOLCHAIN_MISSING",
      message: /@earendil-works\/pi-coding-agent or/,
    });
  });
}

const sessionFolders = async () =>
  (await Array.fromAsync(readDir(tmpdir()))).map(({ name }) => name).filter((name) =>
    name.startsWith("pth-pi-")
  )
    .sort();
