/** Determines where an entry of a matrix really ran, and whether that is what was requested. */
import type { MatrixEntry, MatrixEntryReport } from "../../machines/model/matrix.ts";
import type { EnvironmentInfo } from "../../machines/model/session.ts";
import { imageFolder } from "../runtimes/images/catalogue.ts";

export type MatrixEnvironment = NonNullable<MatrixEntryReport["environment"]>;

export const ranWhere = (
  { handle, state }: Pick<EnvironmentInfo, "handle" | "state">,
): MatrixEnvironment => ({
  id: handle.environmentId,
  runtime: handle.runtime,
  image: handle.image,
  os: state.os,
});

/**
 * Says in words how the environment differs from what the entry asks; undefined where it does not. What is not asked
 * for may be anything.
 */
export function otherThanAsked(
  { runtime, image }: MatrixEntry,
  environment: Pick<MatrixEnvironment, "runtime" | "image"> | undefined,
): string | undefined {
  if (environment === undefined) return "no environment is known that it ran in";
  if (runtime !== undefined && runtime !== environment.runtime) {
    return `it ran in ${environment.runtime}, not in ${runtime}`;
  }
  if (image !== undefined && !isSameImage(image, environment.image)) {
    return `it ran on image ${environment.image}, not on ${image}`;
  }
  return undefined;
}

/** A base image has other names in other runtimes: `debian13`, `pth-base-debian13`, `pth-base-debian13-systemd:latest`. */
function isSameImage(asked: string, real: string): boolean {
  const [one, other] = [asked, real].map((image) => imageFolder(image) ?? image.replace(/:latest$/, ""));
  return one === other;
}
