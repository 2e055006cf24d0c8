/** The machines as they are: a list, and each one's chart as data and as files. */
import type { HttpReply } from "../../platform/http_server.ts";
import { machineChart, machineIds, machineLayout } from "../chart/catalogue.ts";
import { toDot } from "../chart/dot.ts";
import { statesOf } from "../chart/graph.ts";
import { toMermaid } from "../chart/mermaid.ts";
import { drawSvg } from "../chart/svg.ts";
import { fileReply, jsonReply, notThere } from "./answers.ts";
import type { MachineEntry } from "./api.ts";
import type { ApiRequest, Handler } from "./api_request.ts";
import { flagIn, idsIn } from "./query.ts";

const machines: Handler = () =>
  Promise.resolve(jsonReply(machineIds.map((id): MachineEntry => {
    const { machine, summary, root, transitions } = machineChart(id);
    return { machine, summary, states: [...statesOf(root)].length, transitions: transitions.length };
  })));

/** `session`, `session.svg`, `session.mmd`, `session.dot`: no machine's id has a dot. */
const machine: Handler = async (request) => {
  const [id = "", kind] = request.params.machine!.split(/\.(?=svg$|mmd$|dot$)/);
  if (!machineIds.includes(id)) throw notThere(`machine ${id}`, [`Ask for one of ${machineIds.join(", ")}`]);
  if (kind === "svg") return await picture(id, request);
  if (kind === "mmd") return fileReply(toMermaid(machineChart(id)), "text/vnd.mermaid", `${id}.mmd`);
  if (kind === "dot") return fileReply(toDot(machineChart(id)), "text/vnd.graphviz", `${id}.dot`);
  return jsonReply(await machineLayout(id, idsIn(request.query, "collapsed")));
};

async function picture(id: string, { query }: ApiRequest): Promise<HttpReply> {
  const bare = flagIn(query, "bare") ?? false;
  const text = drawSvg(await machineLayout(id, idsIn(query, "collapsed")), {
    active: idsIn(query, "active"),
    taken: idsIn(query, "taken"),
    refused: idsIn(query, "refused"),
    standalone: !bare,
  });
  const { headers, ...reply } = fileReply(text, "image/svg+xml");
  // Opened by itself, a picture has its style within.
  return { ...reply, headers: { ...headers, ...(bare ? {} : { "content-security-policy": pictureAlone }) } };
}

const pictureAlone = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

export const machineRoutes: [string, Handler][] = [
  ["machines", machines],
  ["machines/:machine", machine],
];
