/** The bundle of an installed plugin, made away from the repository. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { makeTempDir } from "../../../src/platform/files.ts";
import { runCommand, type RunOptions, type RunResult } from "../../../src/platform/process.ts";
import { root } from "../../support/pth.ts";

/** A folder for the test file with the bundle in `pth`, and a home of its own; the caller removes it. */
export interface Bundled {
  folder: string;
  /** Folder of the bundle. */
  out: string;
  env: Record<string, string>;
  /** The command line of one of its entries on Node. */
  command(entry: "cli" | "main", ...args: string[]): [string, ...string[]];
  /** Runs `pth …` to its end, in the folder. */
  pth(args: readonly string[], options?: RunOptions): Promise<RunResult>;
}

/** Bundles as an installation does: Node imports the function, with nothing but the packages. */
export async function makeBundle(): Promise<Bundled> {
  const folder = await makeTempDir({ prefix: "pth bundle-" });
  const out = join(folder, "pth");
  const script = pathToFileURL(join(root, "scripts/bundle.mjs")).href;
  const where = JSON.stringify({ root, packages: join(root, "node_modules"), out });
  const code = `const { bundle } = await import(${JSON.stringify(script)}); await bundle(${where});
console.log(process.execPath);`;
  const made = await runCommand(["node", "--input-type=module", "--eval", code], { cwd: folder });
  if (made.code !== 0) throw new Error(`Cannot bundle PTH: ${made.stderr}`);
  const node = made.stdout.trim();
  const env = { PTH_HOME: join(folder, "home"), PTH_WORKTREE_DIR: join(folder, "worktrees") };
  const command: Bundled["command"] = (entry, ...args) => [node, join(out, `${entry}.js`), ...args];
  const pth: Bundled["pth"] = (args, options = {}) =>
    runCommand(command("cli", ...args), { cwd: folder, ...options, env: { ...env, ...options.env } });
  return { folder, out, env, command, pth };
}

/** A server of one file with a branch that its source alone tells of. */
export const dividingServer = `import { createInterface } from "node:readline";
const number = { type: "number" };
const tools = [{
  name: "divide", description: "Divides.",
  inputSchema: { type: "object", properties: { a: number, b: number }, required: ["a", "b"] },
}];
function callTool({ name, arguments: args }) {
  switch (name) {
    case "divide":
      if (typeof args.a !== "number" || typeof args.b !== "number") throw new Error("a and b are numbers");
      if (args.b === 0) throw new Error("cannot divide by zero");
      return { content: [{ type: "text", text: String(args.a / args.b) }] };
    default:
      throw new Error("unknown tool");
  }
}
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "divider", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  let answer;
  try {
    const result = method === "tools/call" ? callTool(params) : answers[method]?.(params);
    answer = result ? { result } : { error: { code: -32601, message: "no such method" } };
  } catch (error) {
    answer = { result: { isError: true, content: [{ type: "text", text: error.message }] } };
  }
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});
`;
