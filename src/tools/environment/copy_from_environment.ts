import { z } from "zod";
import { environmentPath, hostPath } from "../fields.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Copy out of the environment",
  description:
    "Copy a file or a whole folder from the environment to this machine, for example a log or a core dump; missing parent folders are " +
    "made and an existing file is replaced. What is inside may be without end: past a limit nothing is copied. Fifos, sockets and " +
    "devices are refused.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({
    hostPath,
    envPath: environmentPath,
    maxMB: z.number().positive().max(1_000_000).exactOptional()
      .describe("Largest size of all files together. Default: 1024."),
    maxFiles: z.number().int().positive().max(10_000_000).exactOptional()
      .describe("Most files, folders and links together. Default: 100000."),
    keepLinks: z.boolean().exactOptional()
      .describe("true: links out of what is copied are kept as they are. Default: such a link is refused."),
  }),
  async run({ hostPath, envPath, maxMB, maxFiles, keepLinks }, context) {
    const limits = {
      ...(maxMB === undefined ? {} : { maxBytes: Math.ceil(maxMB * 1024 * 1024) }),
      ...(maxFiles === undefined ? {} : { maxEntries: maxFiles }),
      ...(keepLinks === undefined ? {} : { keepLinks }),
    };
    await context.harness.session().copyOut(envPath, hostPath, { ...requestOptions(context), limits });
    return { text: `Copied ${envPath} to ${hostPath}.`, data: { hostPath, envPath } };
  },
});
