/** Entry of the exported runner; the export puts the settings in front of it as `PTH_CI`. */
import { exitProcess, processArgs } from "../platform/host.ts";
import { flushOutputs, outputFailures } from "../platform/terminal.ts";
import { ciContext, runCi } from "./run.ts";
import type { CiSettings } from "../export/ci/ci_settings.ts";

declare const PTH_CI: CiSettings;

const exitCode = await runCi(PTH_CI, import.meta.url, processArgs, ciContext());
await flushOutputs();
// A success of which nothing can be read is none.
exitProcess(exitCode === 0 && outputFailures().size > 0 ? 3 : exitCode);
