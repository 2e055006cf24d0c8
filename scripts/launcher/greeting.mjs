/** What PTH answers before it is installed: `initialize`, `tools/list` and `ping`, as the server itself would. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./place.mjs";

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));
const greeting = readJson(new URL("greeting.json", import.meta.url));

/**
 * @param {object} request
 * @param {boolean} plain the server was started without options; some change the list of tools
 * @returns {object | undefined} the result; undefined where the server is to answer
 */
export function answer({ method, params }, plain) {
  if (method === "ping") return {};
  if (method === "initialize" && isWellFormed(params)) return greet(params.protocolVersion);
  if (method === "tools/list" && plain && params?.cursor === undefined) return { tools: greeting.tools };
  return undefined;
}

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
