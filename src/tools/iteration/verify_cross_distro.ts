import { z } from "zod";
import type { VerificationAnswer } from "../../../machines/model/matrix.ts";
import { PthError } from "../../errors.ts";
import type { DistroRequest } from "../../harness.ts";
import { fixFields } from "../fix_fields.ts";
import { iterationFields, iterationRun } from "../iteration_fields.ts";
import { verificationData, verificationText } from "../matrix_text.ts";
import { defineTool, requestOptions } from "../tool.ts";

const input = z.strictObject({
  images: z.array(z.string().min(1)).min(1).exactOptional().describe(
    'The other distributions, in this order: ["debian13"], or with a runtime, ["sandbox:debian13"]. Begins anew.',
  ),
  primary: z.string().min(1).exactOptional().describe(
    "The one that was developed on, verified again at the end. Default: the session's environment.",
  ),
  fixes: z.array(z.strictObject(fixFields)).min(1).exactOptional().describe(
    "For the distribution that awaits them. `distro` in a fix: only meant for it (trailer PTH-Distro); without it: right on all.",
  ),
  skip: z.literal(true).exactOptional().describe(
    "Leave what fails on the distribution that awaits fixes, and go on.",
  ),
  fixer: z.string().min(1).exactOptional().describe(
    "Command that makes the fixes, as in pth_run_iteration_loop; what it makes on another distribution is committed as only meant for it.",
  ),
  fixerTimeoutSeconds: z.number().positive().exactOptional().describe("For each answer of it. Default: 600."),
  maxIterations: z.int().min(1).max(1000).default(10).describe("With a fixer, on each distribution."),
  force: z.literal(true).exactOptional().describe("Also while tests fail on the primary one."),
  ...iterationFields,
});

type Arguments = z.output<typeof input>;

export default defineTool({
  title: "Verify on other distributions",
  description:
    "Once all tests pass: run the whole suite on other base images, one after the other, and on the primary one last again. Failures that belong " +
    "to one distribution are told apart. Where tests fail it answers their root causes and awaits fixes: call it again with fixes (tested there " +
    "and on all that come after), or with skip. Complete only when the primary one passes at the end. Answers a table of all. The environment is " +
    "replaced for each; snapshots are gone.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input,
  async run(asked, context) {
    const session = context.harness.session();
    const outcome = await session.verifyDistros(requestOf(asked), requestOptions(context));
    return { text: verificationText(outcome), data: verificationData(outcome) };
  },
});

/** @throws {PthError} `INVALID_INPUT` for what is neither a beginning nor an answer, or both */
function requestOf(asked: Arguments): DistroRequest | VerificationAnswer {
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
        "Go on where fixes are awaited: pth_verify_cross_distro({ fixes: [...] }), or { skip: true }",
      ],
    },
  );
