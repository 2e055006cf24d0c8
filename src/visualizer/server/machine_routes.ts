/** The machines as they are: a list, and each one's chart as data and as files. */
import type { HttpReply } from "../../platform/http_server.ts";
import { machineChart, machineIds, machineLayout } from "../chart/machine_chart.ts";
import { toDot } from "../chart/to_dot.ts";
import { statesOf } from "../chart/chart_of.ts";
import { toMermaid } from "../chart/to_mermaid.ts";
import { drawSvg } from "../chart/draw_svg.ts";
import { fileReply, jsonReply, notFoundError } from "./replies.ts";
import type { MachineEntry } from "./api.ts";
import { type ApiHandler, type ApiRequest, flagIn, idsParameter } from "./api_request.ts";

const machines: ApiHandler = () =>
  Promise.resolve(jsonReply(machineIds.map((id): MachineEntry => {
    const { machine, summary, root, transitions } = machineChart(id);
    return { machine, summary, states: [...statesOf(root)].length, transitions: transitions.length };
  })));

/** `session`, `session.svg`, `session.mmd`, `session.dot`: no machine's id has a dot. */
const machine: ApiHandler = async (request) => {
  const [id = "", kind] = request.params.machine!.split(/\.(?=svg$|mmd$|dot$)/);
  if (!machineIds.includes(id)) {
    throw notFoundError(`machine ${id}`, [`Ask for one of ${machineIds.join(", ")}`]);
  }
  if (kind === "svg") return await picture(id, request);
  if (kind === "mmd") return fileReply(toMermaid(machineChart(id)), "text/vnd.mermaid", `${id}.mmd`);
  if (kind === "dot") return fileReply(toDot(machineChart(id)), "text/vnd.graphviz", `${id}.dot`);
  return jsonReply(await machineLayout(id, idsParameter(request.query, "collapsed")));
};

async function picture(id: string, { query }: ApiRequest): Promise<HttpReply> {
  const bare = flagIn(query, "bare") ?? false;
  const text = drawSvg(await machineLayout(id, idsParameter(query, "collapsed")), {
    active: idsParameter(query, "active"),
    taken: idsParameter(query, "taken"),
    refused: idsParameter(query, "refused"),
    standalone: !bare,
  });
  const { headers, ...reply } = fileReply(text, "image/svg+xml");
  // Opened by itself, a picture has its style within.
  return { ...reply, headers: { ...headers, ...(bare ? {} : { "content-security-policy": pictureAlone }) } };
}

const pictureAlone = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

export const machineRoutes: [string, ApiHandler][] = [
  ["machines", machines],
  ["machines/:machine", machine],
];
