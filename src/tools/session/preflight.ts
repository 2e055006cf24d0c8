import { z } from "zod";
import { count } from "../words.ts";
import { defineTool } from "../tool.ts";

const marks = { ok: "✓", warning: "!", failed: "✗" } as const;

export default defineTool({
  title: "Check what is needed for a session",
  description:
    "Check runtimes, base images, disk space, stale sessions and, with pluginPath, the plugin's folder, repository, build system and " +
    "lock, without changing anything. Optional before pth_start_session; use it when starting fails.",
  dormant: true,
  annotations: { readOnlyHint: true },
  input: z.strictObject({
    pluginPath: z.string().min(1).exactOptional()
      .describe("Folder of the plugin or npm:<package>. Absent: only the machine is checked."),
  }),
  async run({ pluginPath }, { harness }) {
    const checks = await harness.preflight(pluginPath);
    const failed = checks.filter((check) => check.status === "failed").length;
    const rows = checks.flatMap((check) => [
      `${marks[check.status]} ${check.name}: ${check.message}`,
      ...(check.next ?? []).map((step) => `    → ${step}`),
      ...(check.paste === undefined ? [] : check.paste.trimEnd().split("\n").map((line) => `      ${line}`)),
    ]);
    const verdict = failed === 0
      ? "Ready. Next: pth_start_session({ pluginPath })"
      : `${count(failed, "check")} failed`;
    return { text: [...rows, verdict].join("\n"), data: { ready: failed === 0, checks } };
  },
});
