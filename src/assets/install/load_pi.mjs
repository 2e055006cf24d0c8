// Has pi load a package. Arguments: pi's own module, the package's folder, an empty home, and `serve` or `list`.
// `serve` lists the tools of its extensions as an MCP server does, and ends with 1 where an extension does not load.
// `list` prints one line of JSON: what pi finds below the folder, and what it says of it. Without a folder it is only pi
// that is tried.
import { realpathSync } from "node:fs";
import { createInterface } from "node:readline";
const [pi, folder, home, mode] = process.argv.slice(1);
const { DefaultResourceLoader } = await import(pi);
const loader = new DefaultResourceLoader({
  cwd: process.cwd(),
  agentDir: home,
  additionalExtensionPaths: folder === "" ? [] : [folder],
  noContextFiles: true,
});
await loader.reload();
const { extensions, errors } = loader.getExtensions();
const toolNames = extensions.flatMap(({ tools }) => [...tools.keys()]);
if (mode === "list") {
  const root = folder === "" ? undefined : realpathSync(folder);
  // Skills of the user are found, too.
  const own = (found) => found.filter(({ filePath }) => realpathSync(filePath).startsWith(`${root}/`));
  const [{ skills, diagnostics: ofSkills }, { prompts, diagnostics: ofPrompts }] = [
    loader.getSkills(),
    loader.getPrompts(),
  ];
  const found = {
    tools: toolNames,
    skills: own(skills).map(({ name }) => name),
    commands: [
      ...own(prompts).map(({ name }) => name),
      ...extensions.flatMap(({ commands }) => [...commands.keys()]),
    ],
    errors: errors.map(({ path, error }) => `${path}: ${error}`),
    warnings: [...ofSkills, ...ofPrompts].filter(({ path }) => path?.startsWith(`${folder}/`))
      .map(({ path, message }) => `${path}: ${message}`),
  };
  await new Promise((written) => process.stdout.write(`\n${JSON.stringify(found)}\n`, written));
  process.exit(0);
}
for (const { path, error } of errors) console.error(`Error: ${path}: ${error}`);
if (errors.length > 0) process.exit(1);
const tools = toolNames.map((name) => ({ name, inputSchema: { type: "object" } }));
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "pi", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  ping: () => ({}),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params);
  const answer = result ? { result } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
process.exit(0);
