/** Proposes a case of evals from a session that went well: its prompt, and graders that it passes. */
import { basename } from "node:path";
import { stringify } from "yaml";
import type { AgentSessionResult } from "../../../machines/model/agent_session.ts";
import type { EvalGrader } from "../../../machines/model/eval_case.ts";
import { PthError } from "../../core/errors.ts";
import { lastWords } from "../../testing/judge/judge_prompt_test.ts";
import { slug } from "../../testing/format/ids.ts";
import { createdFiles, gradeCase, isUngated, toolCallsIn } from "./grade_case.ts";

/** Tools, and files, that get a grader. */
const most = 20;
/** Characters of the last words that a pattern has. */
const longestPattern = 100;
/** Turns that a case may take unless it says more. */
const usualTurns = 10;

type SessionTrace = Pick<AgentSessionResult, "trace">;

export interface ProposedCase {
  /** Texts by their path below the plugin; `prompt.md` comes last. */
  files: Record<string, string>;
  /** Names of the graders. */
  graders: string[];
}

/**
 * @param folder Folder of the case, below the plugin's
 * @throws {PthError} `INVALID_INPUT` for a session that leaves nothing to look for
 */
export function proposeCase(folder: string, prompt: string, session: SessionTrace): ProposedCase {
  const proposed = [...toolGraders(session), ...fileGraders(session), ...wordGraders(session)];
  const verdicts = gradeCase({ graders: proposed }, session);
  const graders = proposed.filter((_, index) => verdicts[index]!.passed);
  if (graders.length === 0) {
    throw new PthError(
      "INVALID_INPUT",
      "Cannot propose graders: the session called no tool, made no file and said nothing",
    );
  }
  const files = graders.map((grader) => [`${folder}/graders/${grader.name}.md`, graderText(grader)]);
  return {
    files: Object.fromEntries([...files, [`${folder}/prompt.md`, promptText(prompt, session)]]),
    graders: graders.map(({ name }) => name),
  };
}

/** A name of a file for what a grader looks for, which none before has. */
function namer(kind: string): (subject: string) => string {
  const taken = new Set<string>();
  return (subject) => {
    const base = `${kind}_${slug(subject).replaceAll("-", "_").slice(0, 60)}`;
    let name = base;
    for (let number = 2; taken.has(name); number++) name = `${base}_${number}`;
    taken.add(name);
    return name;
  };
}

/** Each tool that gave an answer. */
function toolGraders(session: SessionTrace): EvalGrader[] {
  const nameOf = namer("uses");
  const answered = toolCallsIn(session).filter(({ is_error: isError }) => isError !== true);
  return [...new Set(answered.map(({ tool }) => tool))].slice(0, most).map((tool) => ({
    type: "tool_used",
    name: nameOf(tool),
    weight: 1,
    tool,
  }));
}

/** Each file that was made and whose path is no pattern. */
function fileGraders(session: SessionTrace): EvalGrader[] {
  const nameOf = namer("makes");
  return createdFiles(session).filter((path) => !/[*?\n]/.test(path)).slice(0, most).map((path) => ({
    type: "file_exists",
    name: nameOf(basename(path)),
    weight: 1,
    path,
    exists: true,
  }));
}

/** The first line of the last words. */
function wordGraders(session: SessionTrace): EvalGrader[] {
  const line = lastWords(session).split("\n").map((text) => text.trim()).find((text) => text !== "");
  if (line === undefined) return [];
  const pattern = line.slice(0, longestPattern).trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return [{
    type: "regex",
    name: "says",
    weight: 1,
    target: "last_message",
    pattern,
    flags: "",
    match: "contains",
  }];
}

/** Keys that have their usual value are left out. */
function graderText(grader: EvalGrader): string {
  if (grader.type === "regex") return `---\ntype: regex\n---\n${grader.pattern}\n`;
  const { name: _name, weight: _weight, ...keys } = grader;
  return `---\n${stringify(keys, { lineWidth: 0 })}---\n`;
}

/** Tools that Claude Code does not offer by itself are allowed, and so many turns as there were. */
function promptText(prompt: string, session: SessionTrace): string {
  const tools = [...new Set(toolCallsIn(session).map(({ tool }) => tool))].filter((tool) => !isUngated(tool));
  const turns =
    session.trace.timeline.filter((entry) => entry.type === "turn" && entry.lane === "main").length;
  const front = {
    ...(turns > usualTurns ? { max_turns: turns } : {}),
    ...(tools.length === 0 ? {} : { allowed_tools: tools }),
  };
  const head = Object.keys(front).length === 0 ? "" : stringify(front, { lineWidth: 0 });
  return `---\n${head}---\n${prompt.trim()}\n`;
}
