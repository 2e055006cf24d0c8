#!/usr/bin/env node
/** The process entry of `pth`. */
import { runCli } from "./cli/main.ts";
import { processContext } from "./cli/process_context.ts";
import { args, exit } from "./platform/host.ts";
import { lostOutput } from "./cli/lost_output.ts";
import { flushOutputs } from "./platform/terminal.ts";

const context = processContext();
const exitCode = await runCli(args, context);
await flushOutputs();
exit(await lostOutput(exitCode, context));
