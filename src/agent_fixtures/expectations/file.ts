/** `file`: a file of the project was created, changed, removed or left as it was, or is there with some content. */
import * as z from "zod";
import { fitsGlob } from "../../../machines/playbook/fits_glob.ts";
import type { AgentTrace } from "../../../machines/model/agent_session.ts";
import { quoted } from "../../platform/process.ts";
import { defineExpectation, type Judgement } from "../expectation.ts";
import { globSchema, patternMiss, textPatternSchema, withoutLineEnd } from "../expected_fields.ts";
import type { ObservedSession } from "../observed_session.ts";

const states = ["created", "changed", "removed", "untouched", "present", "absent"] as const;

const schema = z.strictObject({
  path: globSchema.regex(
    /^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))/,
    "expected a path in the project that does not climb out with ..",
  ).describe("Glob for its path in the project."),
  is: z.enum(states).optional().describe(
    "created, changed or removed by the agent; untouched: there, as it was at the start; present or absent at the " +
      "end (default: present).",
  ),
  content: textPatternSchema.optional().describe(
    "Regular expression for its text; takes a path that is no glob.",
  ),
}).refine(({ path, content }) => content === undefined || !/[*?]/.test(path), {
  message: "expected a path that is no glob, as content is read of one file",
  path: ["path"],
}).refine(({ is, content }) => content === undefined || (is !== "removed" && is !== "absent"), {
  message: "expected no content of a file that is not there",
  path: ["content"],
});

type Expected = z.infer<typeof schema>;

const listName = "files of the project";
const contentName = ({ path }: Expected): string => `content of ${path}`;
const timeoutMs = 30_000;

/** Paths that are listed, and bytes of a content. */
const most = { paths: 20_000, bytes: 200_000 };

const changes = { created: "added", changed: "changed", removed: "removed" } as const;

export default defineExpectation({
  type: "file",
  summary:
    "A file of the project was created, changed, removed or left as it was by the agent; or is there, with such a text",
  schema,
  example: { path: "report.md", is: "created", content: "north" },
  describe: ({ path, is = "present", content }: Expected) =>
    `${path} is ${is}${content === undefined ? "" : ` with /${content}/`}`,
  checks: (expected) => [
    {
      name: listName,
      script: `find . -name .git -prune -o '(' -type f -o -type l ')' -print | head -n ${most.paths}`,
      timeoutMs,
    },
    ...(expected.content === undefined ? [] : [{
      name: contentName(expected),
      script: `head -c ${most.bytes} ${quoted(`./${expected.path}`)}`,
      timeoutMs,
    }]),
  ],
  judge(expected: Expected, session): Judgement {
    const { path, is = "present" } = expected;
    const changed = session.trace.changes.filter((each) => fitsGlob(path, each.path));
    if (is === "created" || is === "changed" || is === "removed") {
      const found = changed.find(({ change }) => change === changes[is]);
      if (found === undefined) return missed(`no file ${path} was ${is}`, changed, session.trace.changes);
      return withContent(expected, session, found);
    }
    const listed = filesIn(session);
    if ("problem" in listed) return { pass: false, actual: null, reason: listed.problem };
    const present = listed.files.filter((each) => fitsGlob(path, each));
    if (is === "absent") {
      return present.length === 0
        ? { pass: true, actual: null }
        : { pass: false, actual: present.slice(0, 10), reason: `${present[0]} is there` };
    }
    if (is === "untouched" && changed.length > 0) return missed(`a file ${path} was touched`, changed, []);
    if (present.length === 0) return missed(`there is no file ${path}`, changed, session.trace.changes);
    return withContent(expected, session, { path: present[0] });
  },
});

function filesIn({ checks }: ObservedSession): { files: string[] } | { problem: string } {
  const outcome = checks[listName];
  if (outcome === undefined) return { problem: "the files were not listed" };
  if ("problem" in outcome) return { problem: `the files could not be listed: ${outcome.problem}` };
  if (outcome.code !== 0) return { problem: `the files could not be listed: ${outcome.stderr.trim()}` };
  const files = outcome.stdout.split("\n").filter((line) => line !== "").map((line) =>
    line.replace(/^\.\//, "")
  );
  return files.length < most.paths ? { files } : { problem: `there are ${most.paths} files or more` };
}

function withContent(expected: Expected, { checks }: ObservedSession, actual: object): Judgement {
  if (expected.content === undefined) return { pass: true, actual };
  const outcome = checks[contentName(expected)];
  if (outcome === undefined || "problem" in outcome || outcome.code !== 0) {
    const why = outcome === undefined
      ? "it was not read"
      : "problem" in outcome
      ? outcome.problem
      : outcome.stderr;
    return { pass: false, actual, reason: `${expected.path} could not be read: ${why.trim()}` };
  }
  const miss = patternMiss(`the text of ${expected.path}`, withoutLineEnd(outcome.stdout), expected.content);
  return miss === undefined ? { pass: true, actual } : { pass: false, actual, reason: miss };
}

/** The nearest is a change of the same file, then any other. */
function missed(
  reason: string,
  same: AgentTrace["changes"],
  others: AgentTrace["changes"],
): Judgement {
  const near = same.length > 0 ? same : others;
  const shown = near.slice(0, 5).map(({ path, change }) => `${path} was ${change}`);
  return {
    pass: false,
    actual: near.slice(0, 10),
    reason: `${reason}${shown.length === 0 ? "; no file was touched" : `; ${shown.join(", ")}`}`,
  };
}
