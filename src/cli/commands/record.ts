/** `pth record`: stands between any MCP client and the plugin, and writes down what they say. */
import { extname } from "node:path";
import { defineCommand } from "../command.ts";
import { Problems } from "../options/problems.ts";
import { withAskedSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart } from "../options/start_options.ts";
import { textValue } from "../options/option_values.ts";
import { writableProblem } from "../../platform/writable.ts";
import { withLoadedPlugin } from "../with_loaded_plugin.ts";
import { stdin } from "../../platform/streams.ts";
import { count } from "../../core/text.ts";

export default defineCommand({
  configure(command) {
    addStartOptions(command)
      .option(
        "--output <file>",
        "recording file (JSON lines); its calls are also written as a scenario test, with the extension .yaml",
      );
  },
  async run(line, context) {
    const problems = new Problems();
    const start = await readStart(line, context, problems);
    const output = textValue(line.options.output);
    if (output === undefined) problems.add("--output: give the file to write");
    const problem = output === undefined ? undefined : await writableProblem(output);
    if (problem !== undefined) problems.add(`--output: cannot write ${output}: ${problem}`);
    problems.throwIfAny("Cannot record");
    const { storeTrafficRecording } = await import("../../traffic/store_traffic_recording.ts");
    const asked = await withAskedSecrets(start, context);
    return await withLoadedPlugin(asked, context, async (session, { signal, race }) => {
      const file = output!;
      const suite = `${file.slice(0, file.length - extname(file).length)}.yaml`;
      const recording = await storeTrafficRecording(file, suite, start.name);
      // The client's first words may have come while the plugin was installed: reading begins here.
      const relayed = session.plugin.relay({
        input: stdin(),
        output: (line) => context.stdout.write(`${line}\n`),
        hear: recording.hear,
      }, { signal });
      try {
        const end = await race(relayed);
        if (!end.byClient) {
          context.stderr.write(`The server ended with ${end.exitCode ?? end.signal}\n${end.stderrTail}`);
        }
      } finally {
        const { messages, calls } = await recording.close();
        context.stderr.write(
          `${count(messages, "message")} in ${file}${
            calls === 0 ? "" : `, ${count(calls, "call")} in ${suite}`
          }\n`,
        );
      }
    });
  },
});
