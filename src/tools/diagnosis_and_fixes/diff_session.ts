import * as z from "zod";
import { detailField } from "../fields.ts";
import { changesText, diffRows, shortCommit } from "../text/fix_text.ts";
import { sectionHead } from "../bounded_tail.ts";
import { changedFileSchema, changeFigures } from "../output/fix.ts";
import { defineTool, readsOnly, requestOptions } from "../tool.ts";
import { joinLines, limitedList } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";

const filesShown = 20;
/** Characters of the diff. */
const most = { usual: 5_000, detailed: 1_000_000 };

export default defineTool({
  title: "Show what the session changed",
  description:
    "The committed changes of the session branch since it began: figures per file and the unified diff, for a review before the session ends.",
  annotations: readsOnly,
  input: z.strictObject({
    path: z.string().min(1).exactOptional().describe("File or folder, relative to the plugin's folder."),
    stat: z.boolean().exactOptional().describe("true: figures only, without the diff."),
    detail: detailField,
  }),
  output: z.object({
    base: z.string().exactOptional(),
    head: z.string().exactOptional(),
    commits: z.number(),
    files: z.array(changedFileSchema),
    ...changeFigures,
    diff: z.string().exactOptional(),
  }),
  async run({ detail = false, ...request }, context) {
    const changes = await context.harness.session().fixes.diff(request, requestOptions(context));
    if (!changes) {
      return {
        text: "Nothing is committed: the session is a copy without a branch until its first fix.",
        data: { commits: 0, files: [], added: 0, removed: 0 },
      };
    }
    const { diff = "", files, ...figures } = changes;
    const rows = diffRows(changes);
    const shown = sectionHead(diff, detail ? most.detailed : most.usual);
    const cut = !detail && (rows.length > filesShown || shown.length < diff.length);
    return {
      text: joinLines(
        `${count(figures.commits, "commit")} since ${shortCommit(figures.base)}: ` +
          changesText({ ...figures, files: files.length }),
        ...limitedList(rows, detail ? Infinity : filesShown, "more files"),
        shown,
        cut && "More: name a path, or pth_diff_session({ detail: true })",
      ),
      data: {
        ...figures,
        files,
        ...(changes.diff === undefined ? {} : { diff: sectionHead(diff, most.detailed) }),
      },
    };
  },
});
