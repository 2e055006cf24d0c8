import * as z from "zod";
import type { MatrixAnswer } from "../../../machines/model/matrix.ts";
import { PthError } from "../../core/errors.ts";
import type { DistroRequest } from "../../api/harness.ts";
import { fixListAsElsewhere, iterationFieldsAsElsewhere, iterationRun } from "../fields.ts";
import { matrixData, matrixText } from "../text/matrix_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { diagnosisReport } from "../output/diagnosis.ts";
import { testStatusSchema } from "../output/iteration.ts";

const entry = z.object({
  name: z.string(),
  distro: z.string(),
  state: z.enum(["passed", "failed", "broken", "cancelled"]),
  environment: z.object({ id: z.string(), runtime: z.string(), image: z.string(), os: z.string() })
    .exactOptional(),
  summary: z.object({
    total: z.number(),
    passed: z.number(),
    failed: z.number(),
    skipped: z.number(),
    flaky: z.number(),
  }).exactOptional(),
  durationMs: z.number(),
  error: z.object({ code: z.string(), message: z.string(), next: z.array(z.string()) }).exactOptional(),
  untestedFixes: z.number().exactOptional().describe("Fixes made elsewhere since it passed."),
});

/** A test that does not pass everywhere. */
const difference = z.object({
  id: z.string(),
  name: z.string(),
  statuses: z.record(z.string(), z.string()),
  failsOn: z.array(z.string()),
  everywhere: z.boolean(),
  cause: z.object({ message: z.string(), place: z.string().exactOptional() }).exactOptional(),
});

const matrixSchema = z.object({
  state: z.enum(["complete", "awaiting_fixes", "failed", "cancelled"]),
  at: z.string().exactOptional().describe("The entry that the environment is of."),
  matrix: z.object({ entries: z.array(entry), differences: z.array(difference) }),
  differences: z.number().exactOptional().describe("How many, where not all are given."),
  fixes: z.array(z.object({ commit: z.string(), title: z.string(), distro: z.string().exactOptional() })),
  primaryVerified: z.boolean().exactOptional(),
  iteration: z.number().exactOptional(),
  standing: testStatusSchema.exactOptional(),
  diagnosis: diagnosisReport.exactOptional().describe("With awaiting_fixes."),
});

const input = z.strictObject({
  images: z.array(z.string().min(1)).min(1).exactOptional().describe(
    'The others, in this order: ["debian13"], with a runtime ["sandbox:debian13"]. Starts over.',
  ),
  primary: z.string().min(1).exactOptional().describe(
    "The one developed on, verified last again. Default: the session's environment.",
  ),
  fixes: fixListAsElsewhere.exactOptional().describe(
    "For the distribution that awaits them; each as in pth_run_iteration, with distro where it is meant for that one only.",
  ),
  skip: z.literal(true).exactOptional().describe(
    "Skip what fails there, and continue.",
  ),
  fixer: z.string().min(1).exactOptional().describe(
    "As in pth_run_iteration_loop; what it makes on another distribution is meant for that one only.",
  ),
  fixerTimeoutSeconds: z.number().positive().exactOptional().describe("For each answer. Default: 600."),
  maxIterations: z.int().min(1).max(1000).default(10).describe("With a fixer, on each distribution."),
  force: z.literal(true).exactOptional().describe("Also while tests fail on the primary one."),
  ...iterationFieldsAsElsewhere,
});

type Arguments = z.output<typeof input>;

export default defineTool({
  title: "Verify on other distributions",
  description:
    "Once all tests pass: run the suite on other base images, one after the other, and on the primary one last again. Where tests fail it " +
    "answers root causes and awaits fixes: call it again with fixes, or with skip. Answers a table of all. The environment is replaced for " +
    "each; snapshots are gone.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input,
  output: matrixSchema,
  async run(asked, context) {
    const session = context.harness.session();
    const outcome = await session.loop.runMatrix(requestOf(asked), requestOptions(context));
    return { text: matrixText(outcome), data: matrixData(outcome) };
  },
});

/** @throws {PthError} `INVALID_INPUT` for what is neither a beginning nor an answer, or both */
function requestOf(asked: Arguments): DistroRequest | MatrixAnswer {
  const { images, primary, fixes, skip, fixer, fixerTimeoutSeconds, maxIterations, force, ...run } = asked;
  const given = [images, fixes, skip].filter((value) => value !== undefined).length;
  if (given !== 1) throw unclear(given);
  if (fixes !== undefined) return { fixes };
  if (skip !== undefined) return { skip };
  return {
    images: images!,
    ...(primary === undefined ? {} : { primary }),
    ...(force === undefined ? {} : { force }),
    run: {
      ...iterationRun(run),
      ...(fixer === undefined ? {} : { fixer, maxIterations }),
      ...(fixerTimeoutSeconds === undefined ? {} : { fixerTimeoutSeconds }),
    },
  };
}

const unclear = (given: number): PthError =>
  new PthError(
    "INVALID_INPUT",
    `Cannot verify distributions: ${
      given === 0 ? "no images are named" : "give images, fixes or skip, not several"
    }`,
    {
      next: [
        'Begin: pth_verify_cross_distro({ images: ["debian13"] })',
        "Continue where fixes are awaited: pth_verify_cross_distro({ fixes: [...] }), or { skip: true }",
      ],
    },
  );
