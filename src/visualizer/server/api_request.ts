/** What a handler of the API gets, and what it stands upon. */
import type { HttpReply, HttpRequest } from "../../platform/http_server.ts";
import type { LaidOutChart } from "../chart/chart.ts";
import type { Drawing } from "../chart/svg.ts";
import type { EventRow } from "../timeline/timeline.ts";
import type { MachineEntry } from "./api.ts";
import type { Sources } from "./sources.ts";

export interface ApiRequest {
  http: HttpRequest;
  /** What stands in the path at the route's `:names`. */
  params: Record<string, string>;
  query: URLSearchParams;
}

export type Handler = (request: ApiRequest, desk: Desk) => Promise<HttpReply>;

/** All that the API answers from. */
export interface Desk {
  sources: Sources;
  charts: Charts;
  /** Rows as a Mermaid sequence. */
  sequence(rows: readonly EventRow[]): string;
  /** Counts a page until it leaves; answers how to say that. */
  pageCame(): () => void;
}

export interface ChartDrawing extends Drawing {
  /** Ids of states without their insides. */
  collapsed: readonly string[];
}

/** The machines as they are. Each throws `PthError` `INVALID_INPUT` for an unknown one. */
export interface Charts {
  list(): Promise<MachineEntry[]>;
  /** @param collapsed ids of states without their insides */
  laidOut(machine: string, collapsed: readonly string[]): Promise<LaidOutChart>;
  svg(machine: string, drawing: ChartDrawing): Promise<string>;
}
