import * as z from "zod";
import { duration } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Rebuild base images",
  description:
    "Build base images, when pth_preflight calls one stale or missing; takes minutes. Existing environments keep theirs.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    names: z.array(z.string().min(1)).exactOptional()
      .describe(
        '["debian12", "debian12-systemd", "debian12-vm"]: container, with systemd, virtual machine. Default: all that are present.',
      ),
  }),
  output: z.object({
    images: z.array(
      z.object({ name: z.string(), tag: z.string(), sizeMB: z.number(), durationMs: z.number() }),
    ),
  }),
  async run({ names }, context) {
    const images = await context.harness.rebuildImages(names ?? [], requestOptions(context));
    const rows = images.map((image) => `- ${image.tag}: ${image.sizeMB} MB, ${duration(image.durationMs)}`);
    return { text: [`${count(images.length, "image")} built`, ...rows].join("\n"), data: { images } };
  },
});
