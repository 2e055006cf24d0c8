/** The refusal of a request that would change what the loop, or the matrix, works on. */
import type { SnapshotFrom } from "xstate";
import type { IterationPhase } from "../../../machines/model/iteration.ts";
import type { sessionMachine } from "../../../machines/session_machine.ts";
import type { IterationStatus } from "../../api/harness.ts";
import { PthError } from "../../core/errors.ts";

/** @param action completes "Cannot …" */
export function loopRefusal(session: SnapshotFrom<typeof sessionMachine>, action: string): PthError {
  if (session.matches({ open: { matrix: "running" } })) {
    return new PthError("NOT_NOW", `Cannot ${action}: distributions are being verified`, {
      next: [{ mcp: "Wait for the answer of pth_verify_cross_distro, or cancel that request" }],
    });
  }
  const { context: { last, turn }, value } = session.context.iteration!.getSnapshot();
  const iteration = Math.max(last, turn?.number ?? 0);
  return new PthError(
    "NOT_NOW",
    `Cannot ${action}: the loop is under way (iteration ${iteration}, ${iterationPhaseOf(value)})`,
    {
      next: [
        { mcp: "Wait for the answer of pth_run_iteration or pth_run_iteration_loop, or cancel that request" },
        { mcp: "See how far it is: pth_get_iteration_status({})" },
      ],
    },
  );
}

/** States in which the loop's machine works. */
const phases: readonly IterationPhase[] = [
  "testing",
  "diagnosing",
  "fixing",
  "reloading",
  "retesting",
  "confirming",
  "recording",
];

/** Phase of the loop by the state of its machine. */
export function iterationPhaseOf(value: unknown): IterationStatus["phase"] {
  if (value === "awaitingFixes") return "awaiting fixes";
  const working = typeof value === "object" && value !== null && "working" in value
    ? value.working
    : undefined;
  const step = typeof working === "object" && working !== null ? Object.keys(working)[0] : working;
  return phases.find((phase) => phase === step) ?? "idle";
}
