/** Everything that is written by `deno task gen`. */
import { run } from "../../src/platform/process.ts";
import { loadTools } from "./load_tools.ts";
import { reportJsonSchema } from "../../src/testing/report/report_schema.ts";
import { launcherGreeting } from "./launcher_greeting.ts";
import { machinePictures } from "./machine_pictures.ts";
import { preparedTools } from "./prepared_tools.ts";
import { registryFiles } from "./registries.ts";
import { recoveryPage } from "./recovery_page.ts";
import { roomPage } from "./room_page.ts";
import { testJsonSchema } from "../../src/testing/format/test_json_schema.ts";
import { testReference } from "./test_reference.ts";
import { tokenPage } from "./token_page.ts";
import { toolReference } from "./tool_reference.ts";

export interface GeneratedFile {
  /** Relative to the repository. */
  path: string;
  text: string;
}

/** The generated files as they should be, formatted. Writes nothing. */
export async function generate(root: string): Promise<GeneratedFile[]> {
  const tools = await loadTools(root);
  const files = [
    ...await registryFiles(root),
    await toolReference(tools),
    preparedTools(tools),
    await tokenPage(tools),
    await testReference(root),
    await launcherGreeting(),
    { path: "docs/test.schema.json", text: testJsonSchema() },
    { path: "docs/recovery.md", text: recoveryPage() },
    { path: "docs/rooms.md", text: roomPage() },
    { path: "docs/report.schema.json", text: reportJsonSchema() },
  ];
  const formatted = files.map(async (file) => ({ ...file, text: await format(root, file) }));
  return [...await Promise.all(formatted), ...await machinePictures(root)];
}

async function format(root: string, { path, text }: GeneratedFile): Promise<string> {
  const extension = path.slice(path.lastIndexOf(".") + 1);
  const result = await run([Deno.execPath(), "fmt", "--quiet", "--ext", extension, "-"], {
    cwd: root,
    stdin: text,
  });
  if (result.code !== 0) throw new Error(`Cannot format ${path}: ${result.stderr}`);
  return result.stdout;
}
