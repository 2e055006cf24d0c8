import { z } from "zod";
import { count, duration } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Rebuild base images",
  description:
    "Build base images anew, for example when pth_preflight calls one stale or missing. Takes minutes; progress is reported. Existing " +
    "environments keep the image they were made from.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    names: z.array(z.string().min(1)).exactOptional()
      .describe(
        'For example ["debian12", "debian12-systemd", "debian12-vm"] (container, container with systemd, virtual machine). ' +
          "Absent: every image that is present.",
      ),
  }),
  async run({ names }, context) {
    const images = await context.harness.rebuildImages(names ?? [], requestOptions(context));
    const rows = images.map((image) => `- ${image.tag}: ${image.sizeMB} MB, ${duration(image.durationMs)}`);
    return { text: [`${count(images.length, "image")} built`, ...rows].join("\n"), data: { images } };
  },
});
