/** Branch work `update_docs`: the README's section on tools, as the plugin really is. */
import { createTwoFilesPatch } from "diff";
import { join, posix } from "node:path";
import type { DocsUpdate } from "../../api/harness.ts";
import { commitExport } from "../../export/commit_export.ts";
import { toolsSection } from "../../export/docs/tools_section.ts";
import { workflowsSection } from "../../export/docs/workflow.ts";
import { updateReadme } from "../../export/docs/update_readme.ts";
import { writeInside } from "../../platform/write_inside.ts";
import { readInside } from "../../contract/source_path_inside.ts";
import { openConfined } from "../../platform/confined/open_confined.ts";
import type { SessionResources } from "../session_resources.ts";
import { runsOn, staleResults } from "../tests/runs_on.ts";
import type { UpdateDocsArgs } from "../../../machines/model/branch_work.ts";

/** @throws {PthError} `NOT_NOW` before the plugin is loaded, `INVALID_INPUT` for a README that is a link, `GIT_FAILED` */
export async function updateDocs(
  live: SessionResources,
  { examples, outdated, workflows, write }: UpdateDocsArgs,
): Promise<DocsUpdate> {
  const { name } = live.plugin.requirePlan();
  const source = live.code.source!;
  const folder = join(source.worktree, source.subfolder);
  const path = await readmeOf(folder);
  const old = await readInside(folder, path);
  const section = (level: number) =>
    [toolsSection(live.plugin.tools, examples, level), workflowsSection(workflows, level)].filter(Boolean)
      .join(
        "\n\n",
      );
  const { text, documented } = updateReadme(old ?? `# ${name}\n`, section);
  // The tools are those of the server that runs.
  const loaded = staleResults(live, [runsOn(live)]);
  const names = live.plugin.tools.map((tool) => tool.name);
  const update = {
    path,
    changed: text !== old,
    diff: text === old
      ? ""
      : createTwoFilesPatch(`a/${path}`, `b/${path}`, old ?? "", text).replace(/^=+\n/, ""),
    undocumented: names.filter((tool) => !documented.includes(tool)),
    withoutExample: names.filter((tool) => !examples.has(tool)),
    ...(outdated.length === 0 ? {} : { outdated: names.filter((tool) => outdated.includes(tool)) }),
    ...(loaded === undefined ? {} : { stale: loaded }),
  };
  if (!write || !update.changed) return update;
  await writeInside(folder, [{ path, text }]);
  const commit = await commitExport(source, [posix.join(source.subfolder, path)], {
    type: "docs",
    title: "update README from PTH session",
  });
  return { ...update, written: true, ...(commit === undefined ? {} : { commit }) };
}

/** The README's own spelling. */
async function readmeOf(folder: string): Promise<string> {
  for (const { name } of await openConfined(folder).list("")) {
    if (/^readme\.(?:md|markdown)$/i.test(name)) return name;
  }
  return "README.md";
}
