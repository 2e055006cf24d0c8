/** The checks before a session for a model: the verdict first, then what is not as it should be, then the rest. */
import type { PreflightCheck } from "../../api/harness.ts";
import { count, joinLines } from "./format.ts";
import { nextStepsFor } from "../../core/next_step.ts";

const marks = { ok: "✓", warning: "!", failed: "✗" } as const;
const order = ["failed", "warning", "ok"] as const;

export function preflightText(checks: readonly PreflightCheck[], pluginPath: string | undefined): string {
  const number = (status: PreflightCheck["status"]) =>
    checks.filter((check) => check.status === status).length;
  const [failed, warnings] = [number("failed"), number("warning")];
  const sorted = order.flatMap((status) => checks.filter((check) => check.status === status));
  const start = pluginPath === undefined ? "pluginPath" : `pluginPath: ${JSON.stringify(pluginPath)}`;
  return joinLines(
    failed > 0 ? `Not ready: ${count(failed, "check")} failed` : "Ready",
    warnings > 0 && count(warnings, "warning"),
    ...sorted.flatMap(({ name, status, message, next }) => [
      `${marks[status]} ${name}: ${message}`,
      ...nextStepsFor("mcp", next).map((step) => `    → ${step}`),
    ]),
    failed === 0 && `Next: pth_start_session({ ${start} })`,
  );
}
