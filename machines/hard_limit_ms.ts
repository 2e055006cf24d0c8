import type { ProjectTestRequest } from "./model/project_test.ts";

/** Limits of a run whose request names none, in ms; one of all levels has the largest. */
const levelLimitsMs = { unit: 30_000, integration: 120_000, e2e: 300_000 } as const;

/** Limit of all commands of a run that run tests, in ms. */
export const hardLimitMs = ({ timeoutMs, level }: Pick<ProjectTestRequest, "timeoutMs" | "level">): number =>
  timeoutMs ?? levelLimitsMs[level ?? "e2e"];
