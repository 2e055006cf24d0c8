#!/usr/bin/env node
/** The process entry of `pth`. */
import { runCli } from "./cli/main.ts";
import { processContext } from "./cli/process_context.ts";
import { exitProcess, processArgs } from "./platform/host.ts";
import { limitHeapGrowth } from "./platform/limit_heap_growth.ts";
import { outputLossError } from "./cli/output_loss_error.ts";
import { flushOutputs } from "./platform/terminal.ts";

limitHeapGrowth();
const context = processContext();
const exitCode = await runCli(processArgs, context);
await flushOutputs();
exitProcess(await outputLossError(exitCode, context));
