/** The commands by name. Their files are loaded when they are called, so that help and `mcp` start fast. */
import type { CommandEntry } from "./command.ts";

export const commandList: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "install, build, start and test a plugin in an isolated environment",
    load: () => import("./commands/run.ts"),
  },
  {
    name: "test",
    summary: "run a project's own tests, whatever their framework, and say what failed or is stuck",
    load: () => import("./commands/test.ts"),
  },
  {
    name: "iterate",
    summary: "fix a plugin with a command until all tests pass",
    load: () => import("./commands/iterate.ts"),
  },
  {
    name: "generate",
    summary: "write tests generated from a plugin's tool schemas, source, docs and configuration",
    load: () => import("./commands/generate.ts"),
  },
  {
    name: "new-test",
    summary: "print a test template, or the JSON Schema for editors",
    load: () => import("./commands/new_test.ts"),
  },
  {
    name: "fuzz",
    summary: "fuzz tools with generated inputs and write a minimal test for each failure",
    load: () => import("./commands/fuzz.ts"),
  },
  {
    name: "contract",
    summary: "snapshot a server's tool surface and detect breaking changes",
    load: () => import("./commands/contract.ts"),
  },
  {
    name: "import",
    summary: "convert test files of other MCP testers",
    load: () => import("./commands/import.ts"),
  },
  {
    name: "report",
    summary: "merge reports of shards, or convert a report",
    load: () => import("./commands/report.ts"),
  },
  {
    name: "call",
    summary: "call one tool of a plugin and print its answer",
    load: () => import("./commands/call.ts"),
  },
  {
    name: "inspect",
    summary: "list a server's tools with their fields, its prompts and resources",
    load: () => import("./commands/inspect.ts"),
  },
  {
    name: "perf",
    summary: "benchmark each tool: time, CPU, memory, disk, tokens",
    load: () => import("./commands/perf.ts"),
  },
  {
    name: "export-ci",
    summary: "export a plugin's tests to run in CI without PTH",
    load: () => import("./commands/export_ci.ts"),
  },
  {
    name: "record",
    summary: "proxy an MCP client and a plugin and record their traffic",
    load: () => import("./commands/record.ts"),
  },
  {
    name: "replay",
    summary: "replay recorded requests to a plugin and compare responses",
    load: () => import("./commands/replay.ts"),
  },
  {
    name: "mock",
    summary: "serve a traffic recording as a mock MCP server",
    load: () => import("./commands/mock.ts"),
  },
  {
    name: "agent",
    summary: "run an agent such as Claude Code on a playbook with a plugin, or list agents",
    load: () => import("./commands/agent.ts"),
  },
  {
    name: "hook",
    summary: "run a plugin's hooks as Claude Code does, and say what they decide",
    load: () => import("./commands/hook.ts"),
  },
  {
    name: "lint",
    summary: "look over a plugin's manifest, skills, commands, agents and hooks without starting it",
    load: () => import("./commands/lint.ts"),
  },
  {
    name: "verify-install",
    summary: "pack and install a plugin or package as its users do, and name what is missing",
    load: () => import("./commands/verify_install.ts"),
  },
  {
    name: "viz",
    summary: "visualize live sessions, recordings and statecharts in the browser, or export pictures",
    load: () => import("./commands/viz.ts"),
  },
  {
    name: "preflight",
    summary: "check that this machine (and a plugin) is ready",
    load: () => import("./commands/preflight.ts"),
  },
  {
    name: "images",
    summary: "list, build, unpack and prune base images",
    load: () => import("./commands/images.ts"),
  },
  {
    name: "install",
    summary: "set up PTH's test server and skill in Claude Code, Codex and other agents",
    load: () => import("./commands/install.ts"),
  },
  {
    name: "clean",
    summary: "remove leftovers of crashed sessions",
    load: () => import("./commands/clean.ts"),
  },
  {
    name: "mcp",
    summary: "serve PTH's tools to Claude Code over MCP on stdin and stdout",
    load: () => import("./commands/mcp.ts"),
  },
];
