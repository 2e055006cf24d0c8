/** Slot `connection.explain_opening`: adds to an error the inspection of a server that gave no first answer. */
import type { HangInspection } from "../../../machines/model/stuck.ts";
import { PthError } from "../../core/errors.ts";
import { inspectedStacks } from "../../stuck/inspected_stacks.ts";
import { explainedErrors } from "../explained_errors.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";

export const explainOpening = (stage: GetSession) =>
  promiseActor<unknown, { error: unknown; inspection: HangInspection }>(
    stage,
    (_live, { error, inspection }) => Promise.resolve(withInspection(error, inspection)),
  );

/** Any error but that of a server that was silent is passed through. */
function withInspection(error: unknown, inspection: HangInspection): unknown {
  if (!(error instanceof PthError) || ![error, error.cause].some(isSilence)) return error;
  const seen = new PthError(
    error.code,
    `${error.message} (${inspection.says})`,
    { ...error.context, stacks: inspectedStacks(inspection) },
    { cause: error.cause ?? error },
  );
  if (explainedErrors.has(error)) explainedErrors.add(seen);
  return seen;
}

const isSilence = (error: unknown): boolean => error instanceof PthError && error.code === "SERVER_SILENT";
