/**
 * PTH's MCP server as an installed plugin starts it, on plain Node: where it is not installed yet, a stand-in answers at once
 * and gives way as soon as it is.
 */
import { nodeProblem } from "./node_version.mjs";
import { findInstalled } from "./place.mjs";

const entry = nodeProblem === undefined ? findInstalled() : undefined;
// What a start does not need is not read.
if (entry !== undefined) await (await import("./relay.mjs")).start(entry);
else (await import("./stand_in.mjs")).standIn();
