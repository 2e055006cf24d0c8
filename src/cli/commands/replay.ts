/** `pth replay`: asks a server what a recording asked, and compares the answers. */
import { defineCommand } from "../command.ts";
import { Problems } from "../options/problems.ts";
import { withAskedSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart } from "../options/start_options.ts";
import { positiveOption, textValue } from "../options/option_values.ts";
import { asPthError } from "../../core/errors.ts";
import { withLoadedPlugin } from "../with_loaded_plugin.ts";
import type { RelayEnds } from "../../api/requests.ts";
import type { ReplayReport } from "../../traffic/replay.ts";
import { count } from "../../core/text.ts";

/** Differences shown of one answer. */
const shown = 10;

export default defineCommand({
  configure(command) {
    addStartOptions(command)
      .option("--recording <file>", "file written by pth record")
      .option("--timeout <seconds>", "response timeout in seconds (default: 120)");
  },
  async run(line, context) {
    const problems = new Problems();
    const start = await readStart(line, context, problems);
    const file = textValue(line.options.recording);
    const seconds = positiveOption("--timeout", line.options.timeout, problems, "number") ?? 120;
    if (file === undefined) problems.add("--recording: give the file written by pth record");
    problems.throwIfAny("Cannot replay");
    const { openTrafficRecording } = await import("../../traffic/read_traffic_recording.ts");
    const recording = await openTrafficRecording(file!);
    const { createReplay } = await import("../../traffic/replay.ts");
    let report: ReplayReport = { requests: [] };
    const code = await withLoadedPlugin(
      await withAskedSecrets(start, context),
      context,
      async (session, { signal, race }) => {
        const replay = createReplay(recording, seconds * 1000);
        // Heard without secrets, as the recording was.
        const hear: RelayEnds["hear"] = (from, message) => {
          if (from === "server") replay.receive(message);
        };
        const relayed = session.plugin.relay({ input: replay.input, output: () => {}, hear }, { signal });
        relayed.then(
          (end) => replay.gone(`it ended with ${end.exitCode ?? end.signal}\n${end.stderrTail}`),
          (error) => replay.gone(asPthError(error).message),
        );
        report = await race(replay.run());
        await race(relayed);
      },
    );
    if (code !== 0) return code;
    context.stdout.write(reportText(report));
    return report.cutShort === undefined &&
        report.requests.every(({ differences }) => differences.length === 0)
      ? 0
      : 1;
  },
});

function reportText({ requests, cutShort }: ReplayReport): string {
  const different = requests.filter(({ differences }) => differences.length > 0);
  const lines = different.flatMap(({ number, what, differences }) => [
    `✗ ${number} ${what}`,
    ...differences.slice(0, shown).map((difference) => `    ${difference}`),
    ...(differences.length > shown ? [`    … ${differences.length - shown} more`] : []),
  ]);
  if (cutShort !== undefined) lines.push(`Stopped: ${cutShort}`);
  lines.push(`${count(requests.length, "request")} asked again, ${different.length} answered differently`);
  return lines.map((line) => `${line}\n`).join("");
}
