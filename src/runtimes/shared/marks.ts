/** Variables that mark every process of an environment, so that strays are found whoever started them. */
import type { EnvironmentSpec } from "../../../machines/model/environment.ts";

export const marksOf = (spec: Pick<EnvironmentSpec, "environmentId" | "sessionId">, runtime: string) => ({
  PTH_SESSION: spec.sessionId,
  PTH_ENVIRONMENT: spec.environmentId,
  PTH_RUNTIME: runtime,
});
