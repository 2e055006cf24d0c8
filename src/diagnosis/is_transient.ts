/** Which failures may be over in a moment. */
import { PthError } from "../core/errors.ts";

/** Whoever throws knows it, and says so in the error's context. */
export const isTransient = (error: unknown): boolean =>
  error instanceof PthError && error.context.transient === true;
