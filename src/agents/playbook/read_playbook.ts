/** Playbooks as text to turns; every mistake is named at its place. */
import type { Lane, Playbook, PlaybookText } from "../../../machines/model/playbook.ts";
import { suggestion } from "../../core/did_you_mean.ts";
import { PthError } from "../../core/errors.ts";
import { type Problem, problemLine } from "../../core/problems.ts";
import { type Path, readSource, type SourceDocument } from "../../core/read_source.ts";
import { textExcerpt } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { issueText, pathText } from "../../core/issue_text.ts";
import { playbookKeys, playbookSchema } from "./playbook_schema.ts";
import { unknownVariables } from "./unknown_variables.ts";

/**
 * Reads a playbook from YAML or JSON.
 * @param file Name for messages.
 * @throws {PthError} `INVALID_PLAYBOOK` with every problem (`context.problems`)
 */
export function readPlaybook(file: string, text: string): Playbook {
  const { documents, problems } = readSource(file, text);
  const [document, second] = documents;
  if (second !== undefined) {
    problems.push({ file, ...second.place([]), message: "expected one document: a file is one playbook" });
  }
  if (document === undefined) {
    if (problems.length === 0) problems.push({ file, line: 1, column: 1, message: emptyText });
    throw invalidPlaybook(problems);
  }
  const mistakes = mistakesIn(document.value).map((mistake) => ({ file, ...placed(document, mistake) }));
  if (problems.length + mistakes.length > 0) throw invalidPlaybook([...problems, ...mistakes]);
  return playbookOf(playbookSchema.parse(document.value));
}

/**
 * Checks a playbook that a program made.
 * @param name Name for messages: there are no lines.
 * @throws {PthError} `INVALID_PLAYBOOK` with every problem
 */
export function checkPlaybook(name: string, value: unknown): Playbook {
  const mistakes = mistakesIn(value);
  if (mistakes.length === 0) return playbookOf(playbookSchema.parse(value));
  throw invalidPlaybook(mistakes.map(({ message }) => ({ file: name, line: 1, column: 1, message })));
}

const emptyText = "expected a playbook (a map with turns or lanes), the file has none";

interface Mistake {
  at: Path;
  /** Set where the key itself is wrong, not its value. */
  key?: string;
  message: string;
}

function placed(document: SourceDocument, { at, key, message }: Mistake) {
  return { ...(key === undefined ? document.place(at) : document.placeOfKey(at, key)), message };
}

function mistakesIn(value: unknown): Mistake[] {
  if (!isObject(value)) {
    return [{
      at: [],
      message: `expected a playbook (a map with turns or lanes), got ${textExcerpt(value, 80)}`,
    }];
  }
  const issues = playbookSchema.safeParse(value).error?.issues ?? [];
  const found = issues.flatMap((issue): Mistake[] => {
    const at = issue.path as Path;
    if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(at, key));
    if (issue.code === "invalid_union") return unionMistakes(issue, value);
    return [{ at, message: issueText(issue, value) }];
  });
  return found.length > 0 ? found : unknownVariables(value as PlaybookText);
}

const unknownKey = (at: Path, key: string): Mistake => ({
  at,
  key,
  message: `${at.length === 0 ? "" : `${pathText(at)}: `}unknown key "${key}"${
    suggestion(key, playbookKeys(at))
  }`,
});

/** Mistakes of a value that fits neither kind: those in the map where it is one, else the kinds themselves. */
function unionMistakes(
  issue: Extract<Parameters<typeof issueText>[0], { code: "invalid_union" }>,
  root: unknown,
): Mistake[] {
  const path = issue.path as Path;
  const inMap = issue.errors.find((branch) =>
    branch.every(({ path, code }) => path.length > 0 || code === "unrecognized_keys")
  );
  if (inMap === undefined) return [{ at: path, message: `${pathText(path)}: ${issue.message}` }];
  return inMap.flatMap((each): Mistake[] => {
    const at = [...path, ...each.path as Path];
    return each.code === "unrecognized_keys"
      ? each.keys.map((key) => unknownKey(at, key))
      : [{ at, message: issueText({ ...each, path: at } as Parameters<typeof issueText>[0], root) }];
  });
}

function playbookOf({ name, description, turns, lanes = [], judge, recorded }: PlaybookText): Playbook {
  const others = lanes.map((lane): Lane => ({ ...lane, name: lane.name ?? laneName(lane) }));
  return {
    name,
    description,
    lanes: turns === undefined ? others : [{ name: "main", turns }, ...others],
    ...(judge === undefined ? {} : { judge }),
    ...(recorded === undefined ? {} : { recorded }),
  };
}

function laneName({ subagent, side }: Omit<Lane, "name">): string {
  if (typeof subagent === "number") return `subagent ${subagent}`;
  return subagent ?? side ?? "match";
}

/** One error that lists every problem as `file:line:col what was expected`. */
function invalidPlaybook(problems: readonly Problem[]): PthError {
  const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  const count = sorted.length === 1 ? "1 problem" : `${sorted.length} problems`;
  return new PthError(
    "INVALID_PLAYBOOK",
    `Cannot read playbook: ${count}\n${sorted.map(problemLine).join("\n")}`,
    { problems: sorted, next: ["Correct the places named; no agent was started"] },
  );
}
