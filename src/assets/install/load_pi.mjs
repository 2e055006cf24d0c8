// Has pi load a package, and lists the tools of its extensions as an MCP server does.
// Arguments: pi's own module, the package's folder, and an empty home. Ends with 1 where an extension does not load.
import { createInterface } from "node:readline";
const [pi, folder, home] = process.argv.slice(1);
const { DefaultResourceLoader } = await import(pi);
const loader = new DefaultResourceLoader({
  cwd: process.cwd(),
  agentDir: home,
  additionalExtensionPaths: [folder],
  noContextFiles: true,
});
await loader.reload();
const { extensions, errors } = loader.getExtensions();
for (const { path, error } of errors) console.error(`Error: ${path}: ${error}`);
if (errors.length > 0) process.exit(1);
const tools = extensions.flatMap(({ tools }) => [...tools.keys()]).map((name) => ({
  name,
  inputSchema: { type: "object" },
}));
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
