/** Pages of PTH's own documents that a model can read; nothing else below `docs/` is handed out. */
import { readTextFile } from "../../platform/files.ts";
import { ownFile } from "../../platform/own_files.ts";

const titles = {
  "claude-code": "PTH in Claude Code: commands, skills, toolsets",
  "loop": "The loop: test, diagnose, fix, reload, retest",
  "tools": "All tools with their arguments",
  "test-format": "Test files: keys, assertions, verdicts",
  "test-reference": "Test files: every key with examples",
  "scenarios": "Tests of several steps",
  "agent-tests": "Tests with a prompt, which an agent works on",
  "generation": "Where generated tests come from, and what they expect",
  "fuzzing": "Fuzzing",
  "running": "Selection, order and repetition of tests",
  "environments": "Environments, dependency plugins, configuration and secrets",
  "environment-state": "Snapshots, drift and health of an environment",
  "tiers": "Which tier a plugin needs",
  "fixtures": "Files, scripts and services beside a plugin",
  "distributions": "Several distributions",
  "recovery": "What to do when something outside the plugin fails",
  "coverage": "Coverage, and which tests a change affects",
  "contract": "The tool surface of a server, and breaking changes",
  "performance": "Measuring tools",
  "fixers": "Commands that propose fixes",
  "hostile-servers": "Limits for what a server sends",
  "observability": "Details on request, logs, secrets",
  "security": "What runs where, and what is trusted",
  "visualizer": "Watching sessions",
} as const;

type DocPage = keyof typeof titles;

export const docPages = Object.keys(titles) as DocPage[];

export const titleOf = (page: DocPage): string => titles[page];

export const isDocPage = (name: string): name is DocPage => Object.hasOwn(titles, name);

/** The page's Markdown, without what aligns its tables: a third of some pages. */
export async function readDocPage(page: DocPage): Promise<string> {
  const text = await readTextFile(ownFile(`docs/${page}.md`));
  return text.replace(/ {2,}(?=\|)/g, " ").replace(/(?<=^\|.*)-{4,}/gm, "---");
}
