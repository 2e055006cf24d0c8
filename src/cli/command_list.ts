/** The commands by name. Their files are loaded when they are called, so that help and `mcp` start fast. */
import type { CommandEntry } from "./command.ts";

export const commandList: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "install, build, start and test a plugin in an isolated environment",
    load: () => import("./commands/run.ts"),
  },
  {
    name: "iterate",
    summary: "test a plugin and have a command fix it, again and again until no test fails",
    load: () => import("./commands/iterate.ts"),
  },
  {
    name: "generate",
    summary: "write tests generated from a plugin's tool schemas, source, docs and configuration",
    load: () => import("./commands/generate.ts"),
  },
  {
    name: "new-test",
    summary: "write a test to begin with, or the schema by which editors complete test files",
    load: () => import("./commands/new_test.ts"),
  },
  {
    name: "fuzz",
    summary: "call a plugin's tools with drawn inputs, and write a small test of each fault",
    load: () => import("./commands/fuzz.ts"),
  },
  {
    name: "contract",
    summary: "keep what a server offers as a file, and tell which changes break its clients",
    load: () => import("./commands/contract.ts"),
  },
  {
    name: "import",
    summary: "turn test files of other MCP testers into tests",
    load: () => import("./commands/import.ts"),
  },
  {
    name: "report",
    summary: "merge the reports of a suite's parts, or write a report in another form",
    load: () => import("./commands/report.ts"),
  },
  {
    name: "perf",
    summary: "measure what each of a server's tools takes: time, processor, memory, disk, tokens",
    load: () => import("./commands/perf.ts"),
  },
  {
    name: "export-ci",
    summary: "write a plugin's tests so that they run in CI without PTH",
    load: () => import("./commands/export_ci.ts"),
  },
  {
    name: "record",
    summary: "stand between an MCP client and a plugin, and write down what they say",
    load: () => import("./commands/record.ts"),
  },
  {
    name: "replay",
    summary: "ask a plugin what a recording asked, and compare the answers",
    load: () => import("./commands/replay.ts"),
  },
  {
    name: "stand-in",
    summary: "serve a recording as an MCP server, without the plugin",
    load: () => import("./commands/mock.ts"),
  },
  {
    name: "viz",
    summary: "show live sessions, recordings and the machines behind them on a page, or as files",
    load: () => import("./commands/viz.ts"),
  },
  {
    name: "preflight",
    summary: "check that this machine, and a plugin, are ready",
    load: () => import("./commands/preflight.ts"),
  },
  {
    name: "images",
    summary: "list, build, unpack and prune base images",
    load: () => import("./commands/images.ts"),
  },
  {
    name: "clean",
    summary: "remove what dead sessions left on this machine",
    load: () => import("./commands/clean.ts"),
  },
  {
    name: "mcp",
    summary: "serve PTH's tools to Claude Code over MCP on stdin and stdout",
    load: () => import("./commands/mcp.ts"),
  },
];
