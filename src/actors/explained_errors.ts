import type { PthError } from "../core/errors.ts";

/** Failures that have their facts and ways out already. */
export const explainedErrors = new WeakSet<PthError>();
