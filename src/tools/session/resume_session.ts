import * as z from "zod";
import { environmentData } from "../text/environment_text.ts";
import { planData } from "../text/plugin_text.ts";
import { sessionData, withWatchAddress } from "../text/session_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { tierField } from "../fields.ts";
import { sessionSchema, watchSchema } from "../output/session_schema.ts";
import type { LastTestStatus, ResumedSession } from "../../../machines/model/resume.ts";
import { staleText } from "../../testing/report/results_verdict.ts";
import { groupBy } from "../../core/values.ts";
import { nextStepsFor } from "../../core/next_step.ts";
import { joinLines, limitedList } from "../text/join_lines.ts";
import { count, firstLine } from "../../core/text.ts";

const failing = z.object({
  id: z.string(),
  name: z.string().exactOptional(),
  category: z.string().exactOptional(),
  cause: z.string().exactOptional(),
});

/** Standing of the tests when the state was saved. */
const standing = z.object({
  total: z.number(),
  passed: z.number(),
  skipped: z.number(),
  stale: z.object({ results: z.number(), stale: z.number(), behind: z.number() }).exactOptional()
    .describe("Results that are older than the branch's code."),
  failing: z.array(failing),
});

const environment = z.object({
  environment: z.object({
    environmentId: z.string(),
    runtime: z.string(),
    tier: tierField,
    image: z.string(),
  }),
  reason: z.string(),
});

const plugin = z.object({
  plan: z.object({ name: z.string(), version: z.string().exactOptional() }),
  server: z.object({ name: z.string(), version: z.string(), protocolVersion: z.string() }),
});

const resumedSchema = z.object({
  session: sessionSchema,
  iteration: z.number().describe("The latest one; 0 before the first."),
  savedAt: z.string().exactOptional().describe("ISO time of the checkpoint."),
  standing: standing.exactOptional(),
  trend: z.string().exactOptional(),
  commits: z.object({ fixes: z.number(), reverts: z.number(), others: z.number() }),
  tests: z.number(),
  untestedTools: z.array(z.string()).exactOptional(),
  degraded: z.array(z.string()).describe("What is lost or changed."),
  environment: environment.exactOptional(),
  plugin: plugin.exactOptional(),
  next: z.array(z.string()).describe("Calls that go on from here."),
  watch: watchSchema,
});

export default defineTool({
  title: "Resume a test session",
  description:
    "Continue an interrupted session from its branch, in a new worktree; uncommitted work of the old one is kept. Answers where it " +
    "stood, what still fails, what is lost, and the calls that go on.",
  dormant: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    branch: z.string().min(1).describe("pth/<plugin>-<date>-<id>"),
    pluginPath: z.string().min(1).exactOptional()
      .describe("Folder of the plugin. Default: from this machine's session register."),
    provision: z.boolean().exactOptional()
      .describe("true: also make its environment and load the plugin."),
    force: z.boolean().exactOptional()
      .describe("true: even if a running session has the branch."),
  }),
  output: resumedSchema,
  async run({ force, ...request }, context) {
    const answer = await context.harness.resumeSession(request, {
      ...requestOptions(context),
      force: force ?? false,
    });
    const { environment, plugin, ...data } = answer;
    return withWatchAddress({
      text: resumedText(answer),
      data: {
        ...data,
        session: sessionData(answer.session),
        ...(environment ? { environment: environmentData(environment) } : {}),
        ...(plugin ? { plugin: { plan: planData(plugin.plan), server: plugin.server } } : {}),
      },
    }, await context.watchAddress?.());
  },
});

const causesShown = 10;
/** Tests named of each cause. */
const testsShown = 4;

function resumedText(resumed: ResumedSession): string {
  const { session: { sessionId, source }, iteration, savedAt, standing, trend, commits, tests } = resumed;
  const { environment, plugin, untestedTools = [], degraded, next } = resumed;
  return joinLines(
    `Session ${sessionId} goes on with ${source.name}${
      source.version ? ` ${source.version}` : ""
    } on branch ${source.branch}`,
    `Worktree: ${source.worktree}`,
    iteration === 0 ? "No iteration has ended yet" : `Latest iteration: ${iteration}`,
    standing &&
      `Last results (${savedAt}): ${standingText(standing)}${
        trend === "untested" ? "" : `, trend: ${trend}`
      }`,
    standing?.stale && staleText(standing.stale),
    ...standing ? limitedList(failingRows(standing.failing), causesShown, "causes") : [],
    `On the branch: ${commits.fixes === 1 ? "1 fix" : `${commits.fixes} fixes`}, ${
      count(commits.reverts, "revert")
    }, ${count(commits.others, "other commit")}`,
    `Loaded from .pth/tests: ${count(tests, "test")}`,
    environment && `Environment: ${environment.handle.runtime}, ${environment.handle.image}`,
    plugin && `Plugin loaded: ${count(plugin.tools.length, "tool")}`,
    untestedTools.length > 0 && `Without a test: ${limitedList(untestedTools, 10).join(", ")}`,
    ...degraded.map((what) => `Lost: ${what}`),
    ...nextStepsFor("mcp", source.notes).map((note) => `Note: ${note}`),
    `Next: ${next.join("; then ")}`,
  );
}

const standingText = ({ total, passed, skipped, failing }: LastTestStatus): string =>
  `${passed} of ${count(total, "test")} passed, ${failing.length} failed${
    skipped > 0 ? `, ${skipped} skipped` : ""
  }`;

/** A row for each cause, with the first of its tests. */
const failingRows = (failing: LastTestStatus["failing"]): string[] =>
  [...groupBy(failing, ({ category = "", cause = "" }) => `${category}\n${cause}`).values()].map((tests) => {
    const { category, cause } = tests[0]!;
    const names = limitedList(tests.map(({ id, name }) => firstLine(name ?? id, 60)), testsShown).join("; ");
    return `- ${names}${category === undefined ? "" : ` [${category}]`}${
      cause === undefined ? "" : `: ${firstLine(cause, 120)}`
    }`;
  });
