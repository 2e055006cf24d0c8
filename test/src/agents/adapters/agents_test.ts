import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { agentNamed, agents, findAgent } from "../../../../src/agents/adapters/agents.ts";
import { claude } from "../../../../src/agents/adapters/claude.ts";
import { command } from "../../../../src/agents/adapters/command.ts";
import { noParts, type PluginParts } from "../../../../src/agents/adapters/plugin_parts.ts";
import { chmod, writeTextFile } from "../../../../src/platform/files.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

const text = (name: string) => ({ name, description: `does ${name}`, text: `Do ${name} with $ARGUMENTS` });
const plugin: PluginParts = {
  name: "florist",
  servers: [{ name: "shop", command: ["node", "/plugin/server.mjs"], env: { KEY: 'a "b"' }, headers: {} }],
  commands: [text("order")],
  skills: ["arrange"],
  subagents: [text("gardener")],
  hooks: true,
};

t.test("an agent is found by its name, or the names are told", (t) => {
  t.equal(agentNamed("claude"), claude);
  t.throws(() => agentNamed("clod"), {
    code: "INVALID_INPUT",
    context: { next: ["One of: claude, codex, opencode, gemini, qwen, pi, command"] },
  });
  t.end();
});

t.test("a program that is not there, or does not tell its version, is one error with what to do", async (t) => {
  const folder = await temporaryFolder(t);
  await t.rejects(findAgent(claude, join(folder, "none")), {
    code: "TOOLCHAIN_MISSING",
    message: /there is no /,
  });
  for (const agent of agents.filter(({ installation }) => installation !== undefined)) {
    const { packages: [name], variable } = agent.installation!;
    const next = [{ terminal: `Install it: npm install -g ${name}` }, { terminal: new RegExp(variable) }];
    await t.rejects(findAgent(agent, join(folder, "none")), { code: "TOOLCHAIN_MISSING", context: { next } });
  }
  const programs = {
    odd: "echo hello",
    broken: "echo 'no license' >&2; exit 3",
    good: "echo '2.1.330 (Claude Code)'",
  };
  for (const [name, text] of Object.entries(programs)) {
    await writeTextFile(join(folder, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(folder, name), 0o755);
  }
  await t.rejects(findAgent(claude, join(folder, "odd")), { message: /--version answers hello/ });
  await t.rejects(findAgent(claude, join(folder, "broken")), { message: /--version answers no license/ });
  t.match(await findAgent(claude, join(folder, "good")), { version: "2.1.330" });
});

t.test("a variable of an agent that is empty counts as not set", async (t) => {
  const folder = await temporaryFolder(t);
  const installed = agents.flatMap(({ installation }) => installation === undefined ? [] : [installation]);
  const changed = [["PATH", folder] as const, ...installed.map(({ variable }) => [variable, ""] as const)];
  for (const [name, value] of changed) {
    const before = process.env[name];
    process.env[name] = value;
    t.teardown(() => before === undefined ? delete process.env[name] : process.env[name] = before);
  }
  for (const agent of agents.filter(({ installation }) => installation !== undefined)) {
    const { program } = agent.installation!;
    await t.rejects(findAgent(agent), { message: `Cannot run ${agent.name}: no ${program} is on PATH` });
  }
});

t.test("every agent keeps what it is given within its folder", (t) => {
  for (const agent of agents) {
    const place = {
      folder: "/a b",
      home: "/a b/home",
      temporary: "/a b/tmp",
      project: "/a b/project",
      plugin: "/plugin",
      program: "/bin/agent",
      url: "http://127.0.0.1:7",
      prompt: "-p 'go'",
      parts: plugin,
      ...(agent.installation === undefined ? { command: { line: "run it", stdin: false } } : {}),
    };
    const { words, env } = agent.command(place);
    t.ok([...words, ...Object.values(env)].includes("/bin/agent"));
    t.ok(words.some((word) => word.endsWith(place.prompt)), `${agent.name}: the prompt is in one argument`);
    t.equal(env["HOME"], place.home);
    const files = agent.files(place);
    t.match([...Object.values(env), ...Object.values(files)].join("\n"), place.url);
    for (const path of [...Object.keys(files), ...(agent.copies?.(place) ?? []).flat()]) {
      t.notMatch(path, /^\/|\.\./);
    }
  }
  t.end();
});

t.test("a command gets its prompt as one argument or on stdin, and addresses and keys for all APIs", (t) => {
  const place = {
    ...{ folder: "/a", home: "/a/home", temporary: "/a/tmp", project: "/a/project", plugin: "/plugin" },
    ...{ program: "", url: "http://127.0.0.1:7", prompt: "'; exit", parts: noParts },
  };
  const start = (stdin: boolean) => command.command({ ...place, command: { line: "x -y", stdin } });
  t.strictSame(start(false).words, ["sh", "-c", 'x -y "$@"', "sh", "'; exit"]);
  t.equal(start(false).stdin, undefined);
  t.strictSame(start(true).words, ["sh", "-c", "x -y", "sh"]);
  t.equal(start(true).stdin, "'; exit");
  const { env } = start(true);
  t.match(env, {
    ANTHROPIC_BASE_URL: place.url,
    OPENAI_BASE_URL: `${place.url}/v1`,
    GOOGLE_GEMINI_BASE_URL: place.url,
    PTH_PLUGIN: "/plugin",
  });
  for (const vendor of ["ANTHROPIC", "OPENAI", "GEMINI"]) t.equal(env[`${vendor}_API_KEY`], "none");
  t.notOk("PTH_AGENT" in env);
  t.throws(() => command.command(place), { code: "INVALID_INPUT", message: /needs a command line/ });
  t.end();
});

t.test("Claude Code gets the tools that it is given alone, and asks for permissions where that is wanted", (t) => {
  const place = {
    ...{ folder: "/a", home: "/a/home", temporary: "/a/tmp", project: "/a/project", plugin: "/plugin" },
    ...{ program: "claude", url: "http://127.0.0.1:7", prompt: "go", parts: noParts },
  };
  const all = "--dangerously-skip-permissions";
  t.ok(claude.command(place).words.includes(all));
  t.notOk(claude.command(place).words.some((word) => word.startsWith("--tools")));
  const { words } = claude.command({ ...place, tools: ["Bash", "Read"], asksPermission: true });
  t.ok(words.includes("--tools=Bash,Read"));
  t.notOk(words.includes(all));
  t.ok(claude.command({ ...place, tools: [] }).words.includes("--tools="));
  t.end();
});
