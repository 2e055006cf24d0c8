/** `pth mock`: serves a traffic recording as an MCP server on stdin and stdout, without the plugin, its environment or a network. */
import type { Buffer } from "node:buffer";
import { defineCommand } from "../command.ts";
import { createLineSplitter, longestMessage } from "../../platform/line_splitter.ts";
import { stdin, untilClosed } from "../../platform/streams.ts";
import { isObject } from "../../core/values.ts";

export default defineCommand({
  configure(command) {
    command.argument("<recording>", "file written by pth record");
  },
  async run({ operands: [file = ""] }, { stdout, stderr }) {
    const { openTrafficRecording } = await import("../../traffic/read_traffic_recording.ts");
    const { createMockServer } = await import("../../traffic/mock_server.ts");
    const recording = await openTrafficRecording(file);
    const mock = createMockServer(recording, (message) => stdout.write(`${JSON.stringify(message)}\n`));
    const lines = createLineSplitter({
      maxBytes: longestMessage,
      onLine(line) {
        try {
          const message = JSON.parse(line) as unknown;
          if (isObject(message)) mock.receive(message);
        } catch (error) {
          stderr.write(`Cannot read message: ${(error as Error).message}\n`);
        }
      },
      onOverlong: () => stderr.write("Cannot read message: a line is longer than 64 MiB\n"),
    });
    const input = stdin();
    input.on("data", (chunk: Buffer) => lines.push(chunk));
    await untilClosed(input);
    lines.end();
    return 0;
  },
});
