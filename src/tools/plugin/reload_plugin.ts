import { z } from "zod";
import { capped } from "../capped.ts";
import { contractText } from "../contract_text.ts";
import { detail } from "../fields.ts";
import { orphanRows } from "../orphan_text.ts";
import { tail, tailLimits } from "../tail.ts";
import { count, duration, lines } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

const names = (title: string, tools: readonly string[]): string | undefined =>
  tools.length === 0 ? undefined : `${title}: ${tools.join(", ")}`;

export default defineTool({
  title: "Reload the plugin",
  description:
    "Make the plugin run as its source is now: configuration read anew, dependencies installed where manifests or lockfiles changed, built, " +
    "the server restarted. The old server is stopped only after the build succeeded: what fails before leaves it running. Answers which " +
    "tools were added, removed or changed, and processes that the old server left behind. Next: pth_run_test_suite({}).",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: z.strictObject({ detail }),
  async run({ detail }, context) {
    const { closed, tools, build, contract } = await context.harness.session().reload(
      requestOptions(context),
    );
    const output = build && tail(build.output, tailLimits(detail));
    return {
      text: lines(
        build && `Built in ${duration(build.durationMs)}`,
        `Server restarted: ${count(tools.total, "tool")}`,
        names("Added", tools.added),
        names("Removed", tools.removed),
        names("Changed", tools.changed),
        contract && contractText(contract),
        ...orphanRows(closed),
        detail && output,
      ),
      data: {
        closed,
        tools,
        ...(build && { build: { output, durationMs: build.durationMs } }),
        ...(contract && { contract: { ...contract, changes: capped(contract.changes, detail).rows } }),
      },
    };
  },
});
