/** `pth hook`: hooks of a plugin, fired at one event, or run by their tests. */
import { Argument } from "commander";
import { defineCommand } from "../command.ts";
import { fireEvent } from "../hook/fire_event.ts";
import { addHookTestOptions } from "../hook/hook_test_options.ts";
import { testHooks } from "../hook/test_hooks.ts";
import { registry } from "../../testing/reporters/_registry.ts";
import { collectValues } from "../options/option_values.ts";

export default defineCommand({
  configure(command) {
    addHookTestOptions(command)
      .addArgument(
        new Argument(
          "<action>",
          "fire: the plugin's hooks for one event; test: tests of hooks (*.hooks.yaml)",
        ).choices(["fire", "test"]),
      )
      .argument("[folder]", "the plugin's folder; of test a folder with tests, or one file")
      .argument("[event]", "of fire: PreToolUse, Stop …")
      .option(
        "--payload <file>",
        "for fire: what the hooks are sent: JSON, or JSON lines of which those of the event are fired; what is missing is " +
          "filled in. recorded: as Claude Code sent it in a session (default: a sample)",
      )
      .option("--tool <name>", "for fire: tool_name of the payload")
      .option("--input <json>", "for fire: tool_input of the payload")
      .option("--var <name=value>", "for fire: variable for the hooks (repeatable)", collectValues)
      .option(
        "--project <folder>",
        "for fire: folder of which the hooks work in a copy (default: an empty one)",
      )
      .option("--grep <regex>", "for test: only tests whose name matches")
      .option(
        "--reporter <name[:file]>",
        `for test: report format, to stdout or a file (repeatable): ${
          registry.map(({ name }) => name).join(", ")
        }`,
        collectValues,
      )
      .option("--output <folder>", "for test: write report.json and junit.xml to this folder")
      .option("--load", "first install, build and start the plugin, as pth run does")
      .option("--server <name>", "server to start with --load, if the plugin has several")
      .option(
        "--env <name>",
        "environment (default: sandbox where it is ready, else docker; host only where named)",
      )
      .option("--image <name>", "base image of the environment, for example debian12")
      .option(
        "--network <mode>",
        "none (own loopback only) or host (this machine's network); default: the runtime's own",
      )
      .option("--json", "print the result as JSON")
      .option("--record <file>", "record all actor events as JSON lines")
      .option("--force", "take over the session lock even if its owner is still running");
  },
  run: (line, context) => line.operands[0] === "test" ? testHooks(line, context) : fireEvent(line, context),
});
