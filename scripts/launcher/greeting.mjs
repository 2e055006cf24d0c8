/** Answers before PTH is installed, as the server itself would: `initialize`, `ping` and lists. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./place.mjs";

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));
const greeting = readJson(new URL("greeting.json", import.meta.url));
/** Tools that `shownTools` in src/server/shown_tools.ts gives while no session is active. */
const listed = () =>
  readJson(join(root, "src/server/tool_list.json")).filter(({ dormant }) => dormant === true).map((
    { tool },
  ) => tool);

/**
 * @param {boolean} plain the server was started without options; some change the lists
 * @returns {(request: object) => object | undefined} gives the answer; undefined where the server is to give it
 */
export function createGreeter(plain) {
  let structured = false;
  return ({ method, params }) => {
    if (method === "ping") return { result: {} };
    if (method === "initialize" && isWellFormed(params)) {
      // As `wantsStructured` in src/server/initialize_result.ts.
      structured = isObject(params.capabilities.experimental?.structuredContent);
      return { result: greet(params.protocolVersion) };
    }
    if (!isServed(method)) return { error: { code: -32601, message: "Method not found" } };
    if (!plain || params?.cursor !== undefined) return undefined;
    if (method === "tools/list") {
      return { result: { tools: structured ? listed() : listed().map(withoutOutput) } };
    }
    return Object.hasOwn(greeting.lists, method) ? { result: greeting.lists[method] } : undefined;
  };
}

/** A client may probe for what is not there, and goes on when it is told so. */
function isServed(method) {
  const [area] = method.split("/");
  return method === "initialize" ||
    Object.hasOwn(greeting.capabilities, area === "completion" ? "completions" : area);
}

const withoutOutput = ({ outputSchema: _, ...tool }) => tool;

function greet(wanted) {
  const { protocolVersions, capabilities, serverInfo, instructions } = greeting;
  const protocolVersion = protocolVersions.includes(wanted) ? wanted : protocolVersions[0];
  const { version } = readJson(join(root, "package.json"));
  return { protocolVersion, capabilities, serverInfo: { ...serverInfo, version }, instructions };
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const isWellFormed = (params) =>
  isObject(params) && typeof params.protocolVersion === "string" && isObject(params.capabilities) &&
  isObject(params.clientInfo) && typeof params.clientInfo.name === "string" &&
  typeof params.clientInfo.version === "string";
