/** Programs and modules of what was installed, each tried in a process of its own. */
import type { InstalledProgram, InstallFault } from "../../machines/model/install_check.ts";
import { oneLine, visibleName } from "../core/text.ts";
import type { EnvironmentAccess } from "../plugin/environment_access.ts";
import { errorLine, failureOutput, shortened } from "./failure_output.ts";

/** A program that is still alive by then has started. */
const limitMs = 10_000;
const atOnce = 4;
const mostPrograms = 50;

/** Exit code of an import that failed; 126 and 127 are those of programs that cannot be started. */
const importFailed = 70;

/** Words of interpreters that did not get to the program itself. */
const brokenStart = new RegExp(
  "ERR_MODULE_NOT_FOUND|ERR_PACKAGE_PATH_NOT_EXPORTED|ERR_UNSUPPORTED_DIR_IMPORT|ERR_REQUIRE_ESM|" +
    "ERR_INVALID_PACKAGE|Cannot find (?:module|package)|MODULE_NOT_FOUND|ModuleNotFoundError|ImportError|" +
    "^SyntaxError|^\\s*SyntaxError",
  "m",
);

/** Faults of the programs that do not start; what they do once they run is theirs. */
export async function tryPrograms(
  env: EnvironmentAccess,
  programs: readonly InstalledProgram[],
  signal: AbortSignal,
): Promise<InstallFault[]> {
  const faults: InstallFault[] = [];
  for (let at = 0; at < Math.min(programs.length, mostPrograms); at += atOnce) {
    const few = programs.slice(at, at + atOnce);
    const tried = await Promise.all(few.map((program) => tryOne(env, program, signal)));
    faults.push(...tried.filter((fault) => fault !== undefined));
  }
  return faults;
}

async function tryOne(
  env: EnvironmentAccess,
  { command, cwd, place, code: faultCode }: InstalledProgram,
  signal: AbortSignal,
): Promise<InstallFault | undefined> {
  const limit = AbortSignal.timeout(limitMs);
  let ended;
  try {
    ended = await env.exec(command, {
      cwd,
      stdin: "",
      signal: AbortSignal.any([signal, limit]),
      maxBytes: 256 * 1024,
    });
  } catch (error) {
    if (limit.aborted && !signal.aborted) return undefined;
    throw error;
  }
  const { code, stdout, stderr } = ended;
  const output = `${stdout}\n${stderr}`.trim();
  const broken = code === importFailed && faultCode === "import-fails" || code === 126 || code === 127 ||
    code !== 0 && brokenStart.test(stderr);
  if (!broken) return undefined;
  const reason = errorLine(stderr) ?? output.split("\n")[0] ?? "";
  return {
    code: code === 126 ? "no-run-bit" : faultCode,
    place,
    message: `${
      faultCode === "import-fails" ? "cannot be imported" : "does not start"
    } from what was installed: ${visibleName(oneLine(shortened(reason, `${cwd}/node_modules`)), 300)}`,
    next: "See the output: what it names is not in the package, or not where it is looked for",
    output: failureOutput(output, `${cwd}/node_modules`),
  };
}
