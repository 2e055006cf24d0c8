import * as z from "zod";
import type { PreflightCheck } from "../../api/harness.ts";
import { nextStepsFor } from "../../core/next_step.ts";
import { defineTool, readsOnly } from "../tool.ts";
import { joinLines } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";

const check = z.object({
  name: z.string(),
  status: z.enum(["ok", "warning", "failed"]),
  message: z.string(),
  next: z.array(z.string()).exactOptional().describe("What helps."),
});

export default defineTool({
  title: "Check what is needed for a session",
  description:
    "Check what a session needs, changing nothing: runtimes, base images, disk space, stale sessions and, with pluginPath, the plugin's " +
    "repository, build, tier and lock. Optional; use it when pth_start_session fails.",
  dormant: true,
  annotations: readsOnly,
  input: z.strictObject({
    pluginPath: z.string().min(1).exactOptional().describe("Folder or npm:<package>."),
  }),
  output: z.object({ ready: z.boolean(), checks: z.array(check) }),
  async run({ pluginPath }, { harness }) {
    const checks = await harness.preflight(pluginPath);
    const ready = checks.every(({ status }) => status !== "failed");
    return { text: preflightText(checks, pluginPath), data: { ready, checks: checks.map(checkData) } };
  },
});

const checkData = ({ next, ...check }: PreflightCheck) => ({
  ...check,
  ...(next === undefined ? {} : { next: nextStepsFor("mcp", next) }),
});

const marks = { ok: "✓", warning: "!", failed: "✗" } as const;
const order = ["failed", "warning", "ok"] as const;

function preflightText(checks: readonly PreflightCheck[], pluginPath: string | undefined): string {
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
