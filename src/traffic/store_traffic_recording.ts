/** Writes a recording while it is made, and at its end the calls in it as a scenario. */
import { basename } from "node:path";
import { writeTextAtomically } from "../platform/files.ts";
import { appendLines } from "../platform/line_file.ts";
import { buildOutcome } from "../client/outcome.ts";
import { judgeAnswer } from "../client/rpc_message.ts";
import { isObject } from "../core/values.ts";
import { serializeTests } from "../testing/format/serialize_tests.ts";
import { headerLine, type RecordedMessage, requestsOf } from "./read_traffic_recording.ts";
import { type RecordedCall, scenarioOf } from "./scenario.ts";

interface StoredTrafficRecording {
  hear(from: "client" | "server", message: Record<string, unknown>): void;
  /** Both files are written when it resolves; `calls` are those in the suite, of which there is none without calls. */
  close(): Promise<{ messages: number; calls: number }>;
}

/** @throws {PthError} `INVALID_INPUT` when the file cannot be written */
export async function storeTrafficRecording(
  file: string,
  suite: string,
  source: string,
): Promise<StoredTrafficRecording> {
  const lines = await appendLines(file);
  const started = performance.now();
  const messages: RecordedMessage[] = [];
  lines.write(headerLine(source));
  return {
    hear(from, message) {
      const recorded = { at: Math.round(performance.now() - started), from, message };
      messages.push(recorded);
      lines.write(JSON.stringify(recorded));
    },
    async close() {
      await lines.close();
      const calls = toolCallsOf(messages);
      if (calls.length > 0) {
        const test = scenarioOf(`Recorded calls of ${source}`, calls, basename(file));
        await writeTextAtomically(suite, serializeTests([test]));
      }
      return { messages: messages.length, calls: calls.length };
    },
  };
}

/** Tool calls that were answered. */
function toolCallsOf(messages: readonly RecordedMessage[]): RecordedCall[] {
  return requestsOf(messages).flatMap(({ method, params, answer }) => {
    if (method !== "tools/call" || !answer || typeof params.name !== "string") return [];
    const outcome = buildOutcome({ ...judgeAnswer(answer), raw: answer, durationMs: 0 }, undefined);
    return [{ tool: params.name, input: isObject(params.arguments) ? params.arguments : {}, outcome }];
  });
}
