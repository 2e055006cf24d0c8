/** Sends the requests of a recording to a server again and reports answers that differ. */
import { PassThrough } from "node:stream";
import { jsonDifferences } from "../testing/match/json_output.ts";
import { type McpRecording, repliesOf, requestsOf } from "./read_traffic_recording.ts";
import { maskVolatile } from "./volatile.ts";

type Message = Record<string, unknown>;

interface ReplayedRequest {
  /** Number of the request in the recording, from 1. */
  number: number;
  /** `tools/call echo`. */
  what: string;
  /** `$.result.content[0].text: expected …, got …`; none where the answers are alike. */
  differences: string[];
}

export interface ReplayReport {
  requests: ReplayedRequest[];
  /** Reason why the rest was not asked. */
  cutShort?: string;
}

interface Replay {
  /** Stream that the server reads. */
  input: PassThrough;
  /** A message of the server. */
  receive(message: Message): void;
  /** The server is gone. */
  gone(reason: string): void;
  /** Asks everything, then closes the input. */
  run(): Promise<ReplayReport>;
}

/** Requests go one after the other, as they were; the server's questions get the recorded answers. */
export function createReplay(recording: McpRecording, timeoutMs: number): Replay {
  const input = new PassThrough();
  const replies = repliesOf(recording.messages);
  const recorded = new Map(requestsOf(recording.messages).map((each) => [each.request, each]));
  const waiting = new Map<unknown, (answer: Message) => void>();
  let lost: (reason: string) => void;
  const loss = new Promise<string>((resolve) => lost = resolve);
  const send = (message: Message) => void input.write(`${JSON.stringify(message)}\n`);

  function receive(message: Message): void {
    const { id, method } = message;
    if (typeof method !== "string") waiting.get(id)?.(message);
    else if (id !== undefined) {
      const reply = replies.get(method)?.shift();
      send(
        reply ? { ...reply, id } : {
          jsonrpc: "2.0",
          id,
          error: { code: -32601, message: `The recording has no answer to ${method}` },
        },
      );
    }
  }

  async function ask(request: Message): Promise<Message | string> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`no answer within ${timeoutMs / 1000} s`), timeoutMs);
    });
    const answer = new Promise<Message>((resolve) => waiting.set(request.id, resolve));
    send(request);
    try {
      return await Promise.race([answer, late, loss]);
    } finally {
      clearTimeout(timer);
      waiting.delete(request.id);
    }
  }

  return {
    input,
    receive,
    gone: (reason) => lost(`the server has exited: ${reason}`),
    async run() {
      const report: ReplayReport = { requests: [] };
      for (const { from, message } of recording.messages) {
        if (from !== "client" || typeof message.method !== "string") continue;
        const request = recorded.get(message);
        if (!request) {
          send(message);
          continue;
        }
        const what = nameOf(request.method, request.params);
        const answer = await ask(message);
        const number = report.requests.length + 1;
        if (typeof answer === "string") {
          if (request.answer) report.requests.push({ number, what, differences: [answer] });
          report.cutShort = `${what}: ${answer}`;
          break;
        }
        const differences = request.answer ? compare(request.answer, answer) : [];
        report.requests.push({ number, what, differences });
      }
      input.end();
      return report;
    },
  };
}

const nameOf = (method: string, { name, uri }: Message): string =>
  [method, name ?? uri].filter((word) => typeof word === "string").join(" ");

const compare = (expected: Message, actual: Message): string[] =>
  jsonDifferences(answerOf(expected), answerOf(actual), false);

const answerOf = ({ result, error }: Message): unknown =>
  maskVolatile(error === undefined ? { result } : { error });
