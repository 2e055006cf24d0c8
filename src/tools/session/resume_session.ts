import { z } from "zod";
import { PthError } from "../../errors.ts";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "Resume a test session",
  description:
    "Continue an interrupted session from its branch. Not available in this version: it answers what to do instead.",
  dormant: true,
  annotations: { readOnlyHint: true },
  input: z.strictObject({
    branch: z.string().min(1).describe("Session branch, pth/<plugin>-<date>-<id>."),
    pluginPath: z.string().min(1).exactOptional(),
    provision: z.boolean().exactOptional(),
  }),
  run({ branch }) {
    const error = new PthError(
      "UNSUPPORTED",
      `Cannot resume ${branch}: Resuming sessions is not available in this version`,
      {
        next: [
          `Check out ${branch} in the plugin's repository, or merge it, so that its commits and .pth/tests are there`,
          "Then start a new session with pth_start_session({ pluginPath })",
        ],
      },
    );
    return Promise.reject(error);
  },
});
