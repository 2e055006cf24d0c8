import { z } from "zod";
import { detail } from "../fields.ts";
import { changesText, diffRows, short } from "../fix_text.ts";
import { head } from "../head.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { count, lines, listed } from "../words.ts";

const filesShown = 50;

export default defineTool({
  title: "Show what the session changed",
  description:
    "The committed changes of the session branch since it began: figures per file and the unified diff. Use it to review the branch before " +
    "the session ends. Long diffs are cut: name a path, or ask with detail: true.",
  annotations: { readOnlyHint: true, idempotentHint: true },
  input: z.strictObject({
    path: z.string().min(1).exactOptional().describe("File or folder, relative to the plugin's folder."),
    stat: z.boolean().exactOptional().describe("true: figures only, without the diff."),
    detail,
  }),
  async run({ detail, ...request }, context) {
    const changes = await context.harness.session().diffSession(request, requestOptions(context));
    if (!changes) {
      return {
        text: "Nothing is committed: the session is a copy without a branch until its first fix.",
        data: { commits: 0, files: [], added: 0, removed: 0 },
      };
    }
    const { diff, files, ...figures } = changes;
    const shown = diff === undefined ? undefined : head(diff, detail ? 1_000_000 : 20_000);
    return {
      text: lines(
        `${count(figures.commits, "commit")} since ${short(figures.base)}: ` +
          changesText({ ...figures, files: files.length }),
        ...listed(diffRows(changes), detail ? Infinity : filesShown, "more files"),
        shown,
      ),
      data: { ...figures, files, ...(shown === undefined ? {} : { diff: shown }) },
    };
  },
});
