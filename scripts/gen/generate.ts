/** Makes everything that `deno task gen` writes. */
import { runCommand } from "../../src/platform/process.ts";
import { corpusPage } from "../corpus/corpus_page.ts";
import { readCorpus } from "../corpus/corpus_files.ts";
import { loadTools } from "./load_tools.ts";
import { reportJsonSchema } from "../../src/testing/report/report_schema.ts";
import { launcherGreeting } from "./launcher_greeting.ts";
import { machinePictures } from "./machine_pictures.ts";
import { playbookJsonSchema } from "../../src/agents/playbook/playbook_schema.ts";
import { agentTestJsonSchema, fixtureJsonSchema } from "../../src/agent_fixtures/format/fixture_schema.ts";
import {
  fixtureRunReportJsonSchema,
  testReportJsonSchema,
} from "../../src/agent_fixtures/report/report_schema.ts";
import { hookTestJsonSchema } from "../../src/hooks/format/hook_test_schema.ts";
import { preparedTools } from "./prepared_tools.ts";
import { registryFiles } from "./registries.ts";
import { documentLists } from "./document_lists.ts";
import type { GeneratedFile } from "./generated_file.ts";
import type { LoadedDefinition } from "./load_definitions.ts";
import { recoveryPage } from "./recovery_page.ts";
import { roomPage } from "./room_page.ts";
import { testJsonSchema } from "../../src/testing/format/test_schema.ts";
import { testReference } from "./test_reference.ts";
import { tokenPage } from "./token_page.ts";
import { toolReference } from "./tool_reference.ts";

/** Makes the generated files as they should be, formatted. Writes nothing. The registries have to be current. */
export async function generate(
  root: string,
  definitions: readonly LoadedDefinition[],
): Promise<GeneratedFile[]> {
  const tools = await loadTools(root);
  const files = [
    ...await documentLists(root, definitions),
    await toolReference(tools),
    preparedTools(tools),
    await tokenPage(tools),
    await testReference(root),
    await launcherGreeting(),
    { path: "docs/test.schema.json", text: testJsonSchema() },
    { path: "docs/corpus.md", text: corpusPage(await readCorpus(root)) },
    { path: "docs/playbook.schema.json", text: playbookJsonSchema() },
    { path: "docs/fixture.schema.json", text: fixtureJsonSchema() },
    { path: "docs/agent-test.schema.json", text: agentTestJsonSchema() },
    { path: "docs/fixture-report.schema.json", text: testReportJsonSchema() },
    { path: "docs/fixture-run-report.schema.json", text: fixtureRunReportJsonSchema() },
    { path: "docs/hook-test.schema.json", text: hookTestJsonSchema() },
    { path: "docs/recovery.md", text: recoveryPage() },
    { path: "docs/rooms.md", text: roomPage() },
    { path: "docs/report.schema.json", text: reportJsonSchema() },
  ];
  const formatted = files.map(async (file) => ({ ...file, text: await format(root, file) }));
  return [...await registryFiles(root), ...await Promise.all(formatted), ...await machinePictures(root)];
}

async function format(root: string, { path, text }: GeneratedFile): Promise<string> {
  const extension = path.slice(path.lastIndexOf(".") + 1);
  const result = await runCommand([Deno.execPath(), "fmt", "--quiet", "--ext", extension, "-"], {
    cwd: root,
    stdin: text,
  });
  if (result.code !== 0) throw new Error(`Cannot format ${path}: ${result.stderr}`);
  return result.stdout;
}
