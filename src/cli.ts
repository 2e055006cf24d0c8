#!/usr/bin/env node
/** The process entry of `pth`. */
import { runCli } from "./cli/main.ts";
import { processContext } from "./cli/process_context.ts";
import { args, exit } from "./platform/host.ts";
import { flushOutputs } from "./platform/terminal.ts";

const exitCode = await runCli(args, processContext());
await flushOutputs();
exit(exitCode);
