import * as z from "zod";
import { environmentPath, hostPathField } from "../fields.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Copy out of the environment",
  description:
    "Copy a file or folder from the environment to this machine, for example a core dump; parent folders are made, existing files " +
    "replaced. Past a limit nothing is copied; fifos, sockets and devices are refused.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    hostPath: hostPathField,
    envPath: environmentPath,
    maxMB: z.number().positive().max(1_000_000).exactOptional()
      .describe("Size of all files together. Default: 1024."),
    maxFiles: z.number().int().positive().max(10_000_000).exactOptional()
      .describe("Files, folders and links together. Default: 100000."),
    keepLinks: z.boolean().exactOptional()
      .describe("true: keep links that point outside the copy. Default: refuse them."),
  }),
  output: z.object({ hostPath: z.string(), envPath: z.string() }),
  async run({ hostPath, envPath, maxMB, maxFiles, keepLinks }, context) {
    const limits = {
      ...(maxMB === undefined ? {} : { maxBytes: Math.ceil(maxMB * 1024 * 1024) }),
      ...(maxFiles === undefined ? {} : { maxEntries: maxFiles }),
      ...(keepLinks === undefined ? {} : { keepLinks }),
    };
    await context.harness.session().environment.copyOut(envPath, hostPath, {
      ...requestOptions(context),
      limits,
    });
    return { text: `Copied ${envPath} to ${hostPath}.`, data: { hostPath, envPath } };
  },
});
