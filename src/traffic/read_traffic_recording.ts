/**
 * Reads traffic recordings, files of JSON lines with what a client and a server sent: `pth-mcp-recording/1`
 * (docs/replaying.md).
 */
import { PthError } from "../core/errors.ts";
import { readTextIfExists } from "../platform/files.ts";
import { isObject } from "../core/values.ts";

const trafficFormat = "pth-mcp-recording/1";

export interface RecordedMessage {
  /** Milliseconds since the recording began. */
  at: number;
  from: "client" | "server";
  /** One JSON-RPC message. */
  message: Record<string, unknown>;
}

export interface McpRecording {
  /** Plugin as the user named it. */
  source: string;
  messages: RecordedMessage[];
}

export const headerLine = (source: string): string =>
  JSON.stringify({ format: trafficFormat, source, startedAt: new Date().toISOString() });

/**
 * @param file Name for messages.
 * @throws {PthError} `INVALID_INPUT` with every problem as `file:line:column what was expected`
 */
export function readRecording(file: string, text: string): McpRecording {
  const problems: string[] = [];
  const lines = text.split("\n").map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== "");
  const values = lines.map(({ line, number }) => ({
    number,
    value: parse(line, `${file}:${number}`, problems),
  }));
  const [header, ...rest] = values;
  if (!isObject(header?.value) || header.value.format !== trafficFormat) {
    // Some other file: the mistakes in its lines say nothing.
    throw unreadable([`${file}:1:1 expected a header: {"format":"${trafficFormat}", …}`]);
  }
  const messages = rest.flatMap(({ number, value }) => {
    if (isMessage(value)) return [value];
    if (value !== undefined) {
      problems.push(`${file}:${number}:1 expected "at", "from" (client or server) and "message"`);
    }
    return [];
  });
  if (problems.length === 0 && messages.length === 0) {
    problems.push(`${file}:1:1 expected messages, there are none`);
  }
  if (problems.length > 0) throw unreadable(problems);
  return { source: String(header.value.source ?? file), messages };
}

const unreadable = (problems: readonly string[]): PthError =>
  new PthError("INVALID_INPUT", `Cannot read recording: ${problems.slice(0, 20).join("\n")}`, {
    next: [{
      terminal: "Make one with: pth record <target> --output FILE",
      mcp: 'Make one with: pth_record_calls({ action: "start", name })',
    }],
  });

/** @throws {PthError} `TARGET_NOT_FOUND` where there is no such file; else as `readRecording` */
export async function openTrafficRecording(file: string): Promise<McpRecording> {
  const text = await readTextIfExists(file);
  if (text !== undefined) return readRecording(file, text);
  throw new PthError("TARGET_NOT_FOUND", `Cannot read recording: there is no file ${file}`, {
    next: [{
      terminal: "Make one with: pth record <target> --output FILE",
      mcp: 'Make one with: pth_record_calls({ action: "start", name })',
    }],
  });
}

function parse(line: string, place: string, problems: string[]): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    const message = (error as Error).message;
    const column = Number(/position (\d+)/.exec(message)?.[1] ?? 0) + 1;
    problems.push(`${place}:${column} not valid JSON: ${message}`);
    return undefined;
  }
}

const isMessage = (value: unknown): value is RecordedMessage =>
  isObject(value) && typeof value.at === "number" && (value.from === "client" || value.from === "server") &&
  isObject(value.message);

type Message = Record<string, unknown>;

export interface RecordedRequest {
  method: string;
  params: Record<string, unknown>;
  /** The client's message as it was. */
  request: Message;
  /** Response as it came; absent for a request that was never answered. */
  answer?: Message;
  /** Notifications and requests of the server between the two, in order. */
  meanwhile: Message[];
}

/** In the order in which the client asked. */
export function requestsOf(messages: readonly RecordedMessage[]): RecordedRequest[] {
  const requests: RecordedRequest[] = [];
  const open = new Map<unknown, RecordedRequest>();
  for (const { from, message } of messages) {
    if (from === "client") {
      if (typeof message.method !== "string" || message.id === undefined) continue;
      const params = isObject(message.params) ? message.params : {};
      const request = { method: message.method, params, request: message, meanwhile: [] };
      requests.push(request);
      open.set(message.id, request);
    } else if (typeof message.method === "string") {
      for (const request of open.values()) request.meanwhile.push(message);
    } else {
      const request = open.get(message.id);
      open.delete(message.id);
      if (request) request.answer = message;
    }
  }
  return requests;
}

/** The client's answers to what the server asked, by method, in order. */
export function repliesOf(messages: readonly RecordedMessage[]): Map<string, Message[]> {
  const methods = new Map<unknown, string>();
  const replies = new Map<string, Message[]>();
  for (const { from, message } of messages) {
    if (from === "server" && typeof message.method === "string" && message.id !== undefined) {
      methods.set(message.id, message.method);
    } else if (from === "client" && message.method === undefined) {
      const method = methods.get(message.id);
      if (method !== undefined) replies.set(method, [...replies.get(method) ?? [], message]);
    }
  }
  return replies;
}

/** Parameters without what differs from call to call for reasons of the protocol. */
export function ownParams({ _meta, ...params }: Record<string, unknown>): Record<string, unknown> {
  return params;
}

/** The same for equal values, whatever the order of their keys. */
export function canonicalParams(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, item: unknown) =>
      isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => a < b ? -1 : 1)) : item,
  ) ?? "";
}
