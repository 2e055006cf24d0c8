/** scripts/launcher/greeting.json: what the launcher of an installed plugin answers before the server is there. */
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { protocolVersions } from "../../src/server/initialize_result.ts";
import { serveMcp } from "../../src/server/main.ts";
import type { GeneratedFile } from "./generated_file.ts";

/** Clients ask for these at once, where a capability says that there are any; `tools/list` is prepared by itself. */
const lists = {
  resources: ["resources/list", "resources/templates/list"],
  prompts: ["prompts/list"],
};

/** Asks the server itself. */
export async function launcherGreeting(): Promise<GeneratedFile> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const server = serveMcp({}, {
    input,
    output,
    createHarness: () => Promise.reject(new Error("not needed")),
  });
  const answers = createInterface({ input: output })[Symbol.asyncIterator]();
  const ask = async (method: string, params: object = {}): Promise<Record<string, unknown>> => {
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`);
    const { result, error } = JSON.parse((await answers.next()).value);
    if (result === undefined) throw new Error(`Cannot prepare ${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const { protocolVersion: _, serverInfo, ...greeting } = await ask("initialize", {
    protocolVersion: protocolVersions[0],
    capabilities: {},
    clientInfo: { name: "gen", version: "1" },
  });
  const { version: __, ...info } = serverInfo as { version: string };
  const prepared: Record<string, unknown> = {};
  for (const [capability, methods] of Object.entries(lists)) {
    if (!Object.hasOwn(greeting["capabilities"] as object, capability)) continue;
    for (const method of methods) prepared[method] = withoutSizes(await ask(method));
  }
  input.end();
  await server;
  return {
    path: "scripts/launcher/greeting.json",
    text: JSON.stringify({ protocolVersions, serverInfo: info, ...greeting, lists: prepared }),
  };
}

/** A resource's size changes with every word of it, and need not be told. */
const withoutSizes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, member) => key === "size" ? undefined : member));
