/** `pth verify-install`: a package as its users get it, and what is missing there. */
import { basename, join } from "node:path";
import type { InstallCheckResult } from "../../../machines/model/install_check.ts";
import { installKindNames, isPackageArchive } from "../../install_checks/install_kinds.ts";
import { PthError } from "../../core/errors.ts";
import { copyFile, makeTempDir, removeIfExists, stat } from "../../platform/files.ts";
import { createProgress } from "../../testing/reporters/spec/spec_progress.ts";
import { dispatch } from "../../testing/reporter.ts";
import { type CommandContext, type CommandLine, defineCommand } from "../command.ts";
import { collectValues, listValue, positiveOption, textValue } from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";
import { readStart, type StartRequest } from "../options/start_options.ts";
import { usualEnvironment } from "../options/usual_environment.ts";
import { installJson, renderInstallChecks } from "../../install_checks/render_install_checks.ts";
import { withHarness } from "../with_harness.ts";

const defaultTimeoutSeconds = 600;

export default defineCommand({
  configure(command) {
    command
      .argument(
        "<package>",
        "folder of a plugin or package, or an archive that was packed (.tgz, .mcpb, .whl …)",
      )
      .option(
        "--kind <name>",
        `kind of package: ${installKindNames.join(", ")} (repeatable; default: all that it is)`,
        collectValues,
      )
      .option("--env <name>", "environment (default: sandbox; host has to be named)")
      .option("--image <name>", "base image of the environment, for example debian12")
      .option(
        "--network <mode>",
        "none (own loopback only) or host (this machine's network); default: the runtime's own",
      )
      .option("--no-source", "do not build and start the source first; its tools are not compared")
      .option("--suite", "run the plugin's tests on the server that was installed")
      .option("--var <name=value>", "variable for the server (repeatable)", collectValues)
      .option("--timeout <seconds>", `limit of each check (default: ${defaultTimeoutSeconds})`)
      .option("--json", "print the result as JSON")
      .option("--record <file>", "record all actor events as JSON lines")
      .option("--force", "take over the session lock even if its owner is still running")
      .addHelpText("after", "\nExits with 1 if anything is missing or wrong.");
  },
  async run(line, context) {
    const problems = new Problems();
    const [path] = line.operands;
    const kinds = listValue(line.options.kind);
    for (const kind of kinds) {
      if (!installKindNames.includes(kind)) {
        problems.add(`--kind expects one of ${installKindNames.join(", ")}, not "${kind}"`);
      }
    }
    const timeout = positiveOption("--timeout", line.options.timeout, problems, "number") ??
      defaultTimeoutSeconds;
    const kindOfPath = await pathKind(path!);
    if (kindOfPath === undefined) problems.add(`there is no folder and no archive ${path}`);
    if (kindOfPath === "file" && !isPackageArchive(path!)) {
      problems.add(`${path} is no archive of a known package`);
    }
    const env = textValue(line.options.env) ?? await usualEnvironment();
    if (env === "host" && line.options.env === undefined) {
      problems.add(
        "no sandbox is ready (pth preflight says why): name the environment, --env docker or --env host",
      );
    }
    const folder = kindOfPath === "file" ? await makeTempDir({ prefix: "pth-archive-" }) : undefined;
    try {
      if (folder !== undefined) await copyFile(path!, join(folder, basename(path!)));
      const operands = [folder ?? path!];
      const start = await readStart(
        { ...line, operands, options: { ...line.options, env } },
        context,
        problems,
      );
      problems.throwIfAny("Cannot verify the installation");
      return await verify(line, context, { ...start, name: path! }, { kinds, timeoutMs: timeout * 1000 });
    } finally {
      if (folder !== undefined) await removeIfExists(folder);
    }
  },
});

async function pathKind(path: string): Promise<"folder" | "file" | undefined> {
  try {
    return (await stat(path)).isDirectory ? "folder" : "file";
  } catch {
    return undefined; // nothing is there, or it cannot be seen
  }
}

async function verify(
  { options }: CommandLine,
  context: CommandContext,
  start: StartRequest,
  { kinds: asked, timeoutMs }: { kinds: readonly string[]; timeoutMs: number },
): Promise<number> {
  const progress = createProgress(context.stderr);
  return await withHarness(start, context, async (harness, { signal, race, exitCode }) => {
    const stopFollowing = harness.on((fact) => dispatch(progress.hooks, fact));
    try {
      await race(harness.startSession(start.target, { signal, mode: "run", force: start.force }));
      const { installs, environment } = harness.session();
      const kinds = asked.length > 0 ? asked : await race(installs.kinds());
      await race(environment.provision(start.config, { signal }));
      const results: InstallCheckResult[] = [];
      let unchecked: PthError | undefined;
      for (const kind of kinds) {
        const request = { kind, source: options.source !== false, suite: options.suite === true, timeoutMs };
        try {
          results.push(await race(installs.check(request, { signal })));
        } catch (error) {
          // Other kinds are told all the same, and the command fails with this one.
          if (!(error instanceof PthError) || error.code !== "TOOLCHAIN_MISSING") throw error;
          unchecked ??= error;
        }
      }
      progress.live.show(undefined);
      if (results.length > 0) {
        context.stdout.write(options.json === true ? installJson(results) : renderInstallChecks(results));
      }
      if (unchecked !== undefined) throw unchecked;
      return results.some((result) => result.faults.length > 0 || (result.suite?.failed ?? 0) > 0) ? 1 : 0;
    } catch (error) {
      const interrupted = exitCode();
      if (interrupted === undefined) throw error;
      return interrupted;
    } finally {
      stopFollowing();
      progress.live.show(undefined);
    }
  });
}
