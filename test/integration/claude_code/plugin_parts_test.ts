// test: timeout=180
/** Uses what PTH brings as a plugin besides its server in the real Claude Code: commands, skills, the subagent. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { readTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { makeRepository } from "../../src/session/helpers.ts";
import { type ClaudeCode, openClaudeCode, withoutClaude } from "./claude_code.ts";
import { type Lane, type ModelServer, startModelServer } from "./model_server.ts";
import { type Call, type ModelRequest, offeredIn, textOf } from "./seen.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const skip = withoutClaude;

const pth = (name: string, input?: Call["input"]): Call => ({
  tool: `mcp__plugin_pth_pth__pth_${name}`,
  ...(input === undefined ? {} : { input }),
});
const saidIn = (request: ModelRequest | undefined): string =>
  (request?.messages ?? []).map(({ content }) => textOf(content)).join("\n");
const inMain: Lane["takes"] = ({ agent }) => agent === undefined;

async function converse(claude: ClaudeCode, model: ModelServer, prompt: string) {
  const env = {
    PTH_WORKTREE_DIR: claude.folder,
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    // Else a prompt of the server is no command yet where the machine is slow.
    MCP_CONNECTION_NONBLOCKING: "false",
  };
  return await claude.converse({ prompt, model, env, args: ["--plugin-dir", root] });
}

t.test("a command reaches the model with what was typed, and none is offered to it", { skip }, async (t) => {
  const claude = await openClaudeCode(t);
  for (
    const [command, named] of [
      ["test", "pth:test-plugin"],
      ["fix", "pth:fix-plugin"],
      ["watch", "pth://session/watch"],
    ] as const
  ) {
    const model = await startModelServer(t, { turns: [{ text: "Done." }] });
    const result = await converse(claude, model, `/pth:${command} ./colours above all the errors`);
    t.equal(result.code, 0, result.stderr);
    t.strictSame(model.faults, []);
    const said = saidIn(model.requests[0]);
    const [, text = ""] = said.split("</command-args>");
    t.match(text, "./colours above all the errors", command);
    t.match(text, named);
    t.notMatch(text, /\$ARGUMENTS|argument-hint/);
    t.match(said, "- pth:fixer: Mends a plugin in an open PTH session");
    for (const skill of ["test-plugin", "fix-plugin", "write-tests", "pth-tdd"]) {
      t.match(said, `- pth:${skill}: `);
    }
    t.notMatch(said, `- pth:${command}: `, "commands are for people");
  }
});

t.test("a prompt is a command of Claude Code, too", { skip }, async (t) => {
  const claude = await openClaudeCode(t);
  const model = await startModelServer(t, { turns: [{ text: "Done." }] });
  const result = await converse(claude, model, "/mcp__plugin_pth_pth__test_plugin /plugins/shop errors");
  t.equal(result.code, 0, result.stderr);
  t.match(saidIn(model.requests[0]), 'Begin with pth_start_session({ pluginPath: "/plugins/shop" })');
  t.match(saidIn(model.requests[0]), "What matters most: errors");
});

t.test(
  "a session is begun by a skill, mended by the subagent, and ended with its commits",
  { skip },
  async (t) => {
    const claude = await openClaudeCode(t);
    const plugin = join(claude.folder, "switched");
    await cp(join(root, "test/fixtures/switched_plugin"), plugin, { recursive: true });
    await makeRepository(plugin, {});
    const fix = {
      tests: ["red says red"],
      category: "wrong-output",
      title: "say the names",
      edits: [{ path: "switches.json", find: '"red"', replace: "" }],
    };
    const watch = { server: "plugin:pth:pth", uri: "pth://session/watch" };
    const brief = { subagent_type: "pth:fixer", description: "Mend the plugin", prompt: "Mend what fails." };
    const model = await startModelServer(
      t,
      {
        takes: inMain,
        turns: [
          { calls: [{ tool: "Skill", input: { skill: "pth:test-plugin" } }] },
          { calls: [pth("start_session", { pluginPath: plugin })] },
          { calls: [{ tool: "ReadMcpResourceTool", input: watch }] },
          { calls: [pth("provision_environment", { runtime: "sandbox" })] },
          { calls: [pth("load_plugin")] },
          { calls: [{ tool: "Agent", input: brief }] },
          { calls: [{ tool: "Skill", input: { skill: "pth:write-tests" } }] },
          { calls: [pth("end_session")] },
          { text: "Done." },
        ],
      },
      {
        turns: [
          { calls: [pth("run_iteration", { generate: false })] },
          { calls: [pth("run_iteration", { fixes: [fix] })] },
          { text: "Everything passes." },
        ],
      },
    );
    const result = await converse(claude, model, "Test the plugin here.");
    t.equal(result.code, 0, result.stderr);
    t.strictSame(model.faults, []);

    const [main, agent] = [true, false].map((ofMain) =>
      model.requests.filter((request) => inMain(request) === ofMain)
    ) as [ModelRequest[], ModelRequest[]];
    t.match(saidIn(main[1]), "# Test a plugin", "the skill's text arrives");
    const addresses = saidIn(main[3]).match(/http:\/\/127\.0\.0\.1:\d+\/[^\s"\\]+/g) ?? [];
    t.equal(
      new Set(addresses).size,
      2,
      "the session's start gives an address to watch it at, the resource a new one",
    );
    t.match(saidIn(main.at(-1)), `${root}docs`, "a skill names where PTH's documents lie");

    const own = offeredIn(agent[0]!).filter((name) => name.startsWith("mcp__"));
    const declared = /^tools: (.*)$/m.exec(await readAgent())![1]!.split(", ");
    t.strictSame(own.sort(), declared.filter((name) => name.startsWith("mcp__")).sort());
    t.notOk(offeredIn(agent[0]!).some((name) => ["Bash", "Edit", "Write"].includes(name)));
    t.match(agent[0]!.system, "You fix a plugin in a PTH session");
    t.match(saidIn(agent[0]), "# Fix a plugin", "its skill is loaded from the start");
    t.match(saidIn(agent[1]), 'red answers "something else" where "red" is expected');
    t.match(saidIn(agent[2]), "Status: All tests pass");

    const branch = /Branch (pth\/\S+): \d+ commits?, kept/.exec(saidIn(main.at(-1)))?.[1] ?? "";
    const log = await runCommand(["git", "-C", plugin, "log", "--format=%s", branch]);
    t.match(log.stdout, "fix: say the names");
    t.strictSame(await claude.leftProcesses(), []);
  },
);

const readAgent = (): Promise<string> => readTextFile(join(root, "agents/fixer.md"));
