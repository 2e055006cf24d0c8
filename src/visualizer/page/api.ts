/// <reference lib="dom" />
/** The page's questions to its server, and what it says when they fail. */
import type { LaidOutChart } from "../chart/chart.ts";
import type {
  ApiError,
  EventPage,
  MachineEntry,
  Overview,
  SendRequest,
  ViewerSource,
} from "../server/api.ts";
import { type FailurePlace, feedStatus, loadFailures } from "./state.ts";
import type {
  ActorDetail,
  ActorRow,
  EndedActors,
  ErrorMark,
  EventFilter,
  EventRow,
} from "../timeline/timeline.ts";

/** The server refused, or there is none any more (`code` `GONE`). */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly code: string;
  readonly next: readonly string[];

  constructor({ code, message, next = [] }: ApiError) {
    super(message);
    this.code = code;
    this.next = next;
  }
}

/** The viewer itself does not answer. */
const viewerGone: ApiError = {
  code: "GONE",
  message: "The viewer ended.",
  next: ["Run pth viz again and open the address that it prints."],
};

type Query = Record<string, string | number | boolean | undefined>;

/** Path of an API request, relative to the page's address. */
export const apiPath = (...parts: string[]): string => `api/${parts.map(encodeURIComponent).join("/")}`;

function withQuery(path: string, query: Query): string {
  const facts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "" && value !== false) facts.set(name, String(value));
  }
  return facts.size === 0 ? path : `${path}?${facts}`;
}

/** A filter as it stands in an address. */
const filterQuery = ({ actors, ...filter }: EventFilter): Query => ({
  ...filter,
  actors: actors?.join(","),
});

/** A machine's chart as a file: `svg`, `mmd` or `dot`. */
export const machineFile = (machine: string, type: string, query: Query = {}): string =>
  withQuery(apiPath("machines", `${machine}.${type}`), query);

/** @throws {ApiFailure} */
const ask = async <Answer>(path: string, init?: RequestInit): Promise<Answer> =>
  await (await answerOf(path, init)).json() as Answer;

/** @throws {ApiFailure} */
async function answerOf(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new ApiFailure(viewerGone);
  }
  if (!response.ok) throw new ApiFailure(await errorOf(response));
  return response;
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const error = JSON.parse(text) as Partial<ApiError>;
    if (typeof error.message === "string") {
      return { ...error, code: error.code ?? "", message: error.message };
    }
  } catch {
    // No JSON: a page of words, as the viewer answers a browser without its cookie.
  }
  if (response.status === 403) {
    return { ...viewerGone, code: "REFUSED", message: "This address is no longer valid." };
  }
  return { code: "INTERNAL", message: `The viewer answered ${response.status}: ${text.slice(0, 200)}` };
}

export const api = {
  sources: () => ask<ViewerSource[]>(apiPath("sources")),
  machines: () => ask<MachineEntry[]>(apiPath("machines")),
  /** `collapsed`: ids of states that are drawn without their children. */
  machine: (machine: string, collapsed: readonly string[] = []) =>
    ask<LaidOutChart>(withQuery(apiPath("machines", machine), { collapsed: collapsed.join(",") })),
  /** The picture without a style of its own: the page's applies. */
  machineSvg: async (machine: string, collapsed: readonly string[] = []) =>
    await (await answerOf(machineFile(machine, "svg", { bare: true, collapsed: collapsed.join(",") })))
      .text(),
  overview: (source: string) => ask<Overview>(apiPath("sources", source)),
  actors: (source: string, at: number | undefined, which: EndedActors) =>
    ask<ActorRow[]>(withQuery(apiPath("sources", source, "actors"), { at, ...which })),
  /** `ms`: when, in the silence after the position. */
  actor: (source: string, actor: string, at: number | undefined, ms: number | undefined) =>
    ask<ActorDetail>(withQuery(apiPath("sources", source, "actors", actor), { at, ms })),
  events: (source: string, filter: EventFilter, from: number, count: number) =>
    ask<EventPage>(withQuery(apiPath("sources", source, "events"), { ...filterQuery(filter), from, count })),
  eventIndex: async (source: string, filter: EventFilter, position: number) => {
    const path = apiPath("sources", source, "events", "at");
    return (await ask<{ index: number }>(withQuery(path, { ...filterQuery(filter), position }))).index;
  },
  /** Number of matching rows up to the position, including the row at it. */
  rowsUpTo: async (source: string, filter: EventFilter, position: number, length: number) =>
    position < length
      ? await api.eventIndex(source, filter, position + 1)
      : (await api.events(source, filter, 0, 0)).total,
  event: (source: string, position: number) =>
    ask<EventRow & { event: unknown }>(apiPath("sources", source, "events", String(position))),
  position: (source: string, ms: number) =>
    ask<{ position: number; at: number }>(withQuery(apiPath("sources", source, "position"), { ms })),
  trouble: (source: string) => ask<ErrorMark[]>(apiPath("sources", source, "trouble")),
  send: (source: string, request: SendRequest) =>
    ask<{ sent: true }>(apiPath("sources", source, "send"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    }),
  /** For links: the rows that fit as a Mermaid sequence, the whole recording. */
  sequencePath: (source: string, filter: EventFilter, from: number, count: number) =>
    withQuery(apiPath("sources", source, "sequence.mmd"), { ...filterQuery(filter), from, count }),
  recordingPath: (source: string) => apiPath("sources", source, "recording"),
};

/** Undefined when it failed: what was shown before stays. */
export async function attempt<Answer>(
  place: FailurePlace,
  ask: () => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    const answer = await ask();
    if (loadFailures.value[place] !== undefined) tell(place, undefined);
    return answer;
  } catch (error) {
    const failure = toApiFailure(error);
    if (failure.code === "REFUSED") feedStatus.value = "refused";
    else if (failure.code === "GONE") feedStatus.value = "lost";
    else tell(place, failure);
    return undefined;
  }
}

export const toApiFailure = (error: unknown): ApiFailure =>
  error instanceof ApiFailure
    ? error
    : new ApiFailure({ code: "INTERNAL", message: error instanceof Error ? error.message : String(error) });

function tell(place: FailurePlace, failure: ApiFailure | undefined): void {
  const { [place]: _before, ...others } = loadFailures.value;
  loadFailures.value = failure === undefined ? others : { ...others, [place]: failure };
}
