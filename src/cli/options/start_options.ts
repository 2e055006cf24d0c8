/** Options of all commands that start a plugin. */
import { isAbsolute, resolve } from "node:path";
import type { Command } from "commander";
import type { EnvironmentConfig, NetworkMode, Resources, Tier } from "../../../machines/model/environment.ts";
import type { SessionTarget } from "../../../machines/model/session.ts";
import type { RequestOptions } from "../../api/harness.ts";
import { pathExists } from "../../platform/files.ts";
import { runtimeNames } from "../../core/runtime_names.ts";
import { imageReferenceProblem } from "../../api/image_reference_problem.ts";
import { writableProblem } from "../../platform/writable.ts";
import { textExcerpt } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import { askInTerminal, missingSecrets, readSecretsOption } from "./secrets.ts";
import type { Problems } from "./problems.ts";
import {
  choiceOption,
  collectValues,
  gigabytes,
  listValue,
  megabytes,
  positiveOption,
  readStately,
  textValue,
  variablesOption,
} from "./option_values.ts";
import { splitCommand } from "./split_command.ts";

const networkModes: (NetworkMode | "default")[] = ["none", "host", "default"];

export interface StartRequest {
  /** `run`, `iterate`, …: the command that starts. */
  command: string;
  /** Name of the target for people. */
  name: string;
  target: SessionTarget;
  config: Partial<EnvironmentConfig>;
  /** Names of secrets to prompt for. */
  ask: string[];
  /** Prompts for configuration that the plugin needs; empty without a terminal. */
  asking: Pick<RequestOptions, "askConfig">;
  keep: boolean;
  force: boolean;
  recordFile?: string;
  /** Address of Stately Inspector. */
  stately?: string;
}

export function addStartOptions(command: Command): Command {
  return command
    .argument("[target]", "a folder or npm:<package>[@version]; omit with --command or --url")
    .usage("[options] [target] [-- server arguments]")
    .showHelpAfterError("(arguments after -- are passed to the server; see --help)")
    .option(
      "--env <name>",
      `environment: ${runtimeNames.join(", ")} (default: auto, the most isolated one available for the tier)`,
    )
    .option(
      "--env-tier <number>",
      "environment tier: 1 container, 2 container with systemd, 3 virtual machine (default: detected from the plugin's source)",
    )
    .option("--image <name>", "base image, for example debian12")
    .option(
      "--config <file>",
      "environment file, YAML or JSON (runtime, base_image, fixtures, resources …); options override it",
    )
    .option("--command <command>", "start the server with this command")
    .option("--url <url>", "connect to the server over HTTP at this URL; {port} is replaced by its port")
    .option("--server <name>", "server to test, if the plugin has several")
    .option("--build <command>", 'build command; "" for none')
    .option("--install <command>", 'install command; "" for none')
    .option("--no-cache", "install anew, also where packages of an earlier run are kept")
    .option("--var <name=value>", "variable for the server (repeatable)", collectValues)
    .option(
      "--secret <name>",
      "secret variable, read from the environment or prompted for; never shown (repeatable)",
      collectValues,
    )
    .option("--secrets-file <file>", "NAME=value lines; values are never shown")
    .option(
      "--copy <host:env>",
      "copy a host file or folder into the environment first (repeatable)",
      collectValues,
    )
    .option("--cpus <number>", "processors")
    .option("--memory <size>", "memory limit, e.g. 512m or 2g")
    .option("--disk <size>", "disk limit, e.g. 10g (the copy of the source is not counted)")
    .option(
      "--network <mode>",
      "none (own loopback only) or host (this machine's network); default: the runtime's own",
    )
    .option("--record <file>", "record all actor events as JSON lines")
    .option("--stately <url>", "also stream actor events to Stately Inspector (local ws:// URL)")
    .option(
      "--keep",
      "keep environment and worktree and print how to remove them (sandboxes are always removed)",
    )
    .option("--force", "take over the session lock even if its owner is still running");
}

/** Reads and checks; everything that is wrong is added to the problems. Starts nothing. */
export async function readStart(
  line: CommandLine,
  context: CommandContext,
  problems: Problems,
): Promise<StartRequest> {
  const { options } = line;
  const fromFile = textValue(options.config) === undefined
    ? {}
    : await (await import("./read_config_file.ts")).readConfigFile(textValue(options.config)!, problems);
  const { target, ask } = await readTarget(line, context, problems);
  const recordFile = textValue(options.record);
  const recordProblem = recordFile === undefined ? undefined : await writableProblem(recordFile);
  if (recordProblem !== undefined) problems.add(`--record: cannot write ${recordFile}: ${recordProblem}`);
  const stately = readStately(options.stately, problems);
  return {
    command: line.command,
    name: target.target ?? target.command?.join(" ") ?? target.url ?? "",
    target,
    config: await readConfig(options, fromFile, problems),
    ask,
    asking: askInTerminal(context),
    keep: options.keep === true,
    force: options.force === true,
    ...definedOnly({ recordFile, stately }),
  };
}

async function readTarget(
  { operands, options, rest }: CommandLine,
  context: CommandContext,
  problems: Problems,
): Promise<{ target: SessionTarget; ask: string[] }> {
  const [name] = operands;
  const secrets = textValue(options.secretsFile) === undefined
    ? {}
    : await readSecretsOption(textValue(options.secretsFile)!, problems);
  const ask = missingSecrets(listValue(options.secret), secrets, context, problems);
  const given = [name, options.command, options.url, options.resume].some((value) => value !== undefined);
  if (!given) {
    problems.add("target missing: give a folder, npm:<package>, --command or --url");
  }
  const target = {
    target: name,
    command: readCommand(options.command, problems),
    args: rest.length === 0 ? undefined : rest,
    server: textValue(options.server),
    build: textValue(options.build),
    install: textValue(options.install),
    installAnew: options.cache === false ? true : undefined,
    url: readUrl(options.url, problems),
    variables: variablesOption("--var", listValue(options.var), problems),
    secrets,
    copies: await readCopies(listValue(options.copy), problems),
  };
  return { target: definedOnly(target), ask };
}

function readCommand(value: unknown, problems: Problems): string[] | undefined {
  if (value === undefined) return undefined;
  try {
    return splitCommand(String(value));
  } catch (error) {
    problems.add(`--command: ${(error as Error).message}`);
    return undefined;
  }
}

function readUrl(value: unknown, problems: Problems): string | undefined {
  const url = textValue(value);
  if (url === undefined) return undefined;
  const sample = url.replace("{port}", "1");
  if (URL.canParse(sample) && /^https?:$/.test(new URL(sample).protocol)) return url;
  problems.add(`--url expects http:// or https://, not "${url}"`);
  return undefined;
}

function readImage(value: unknown, problems: Problems): string | undefined {
  const image = textValue(value);
  const why = image === undefined ? undefined : imageReferenceProblem(image);
  if (why === undefined) return image;
  problems.add(`--image: ${why}, not ${textExcerpt(image, 80)}`);
  return undefined;
}

async function readCopies(
  pairs: readonly string[],
  problems: Problems,
): Promise<NonNullable<SessionTarget["copies"]>> {
  const copies = [];
  for (const pair of pairs) {
    const at = pair.lastIndexOf(":");
    const [host, inside] = [pair.slice(0, Math.max(0, at)), pair.slice(at + 1)];
    if (host === "" || inside === "") {
      problems.add(`--copy expects <host path>:<environment path>, not "${pair}"`);
    } else if (!isAbsolute(inside)) {
      problems.add(`--copy ${pair}: the path in the environment must begin with "/"`);
    } else if (!await pathExists(host)) {
      problems.add(`--copy ${pair}: ${resolve(host)} does not exist`);
    } else copies.push({ hostPath: resolve(host), envPath: inside });
  }
  return copies;
}

async function readConfig(
  options: Record<string, unknown>,
  fromFile: Partial<EnvironmentConfig>,
  problems: Problems,
): Promise<Partial<EnvironmentConfig>> {
  const resources: Resources = {
    ...fromFile.resources,
    ...definedOnly({
      cpus: positiveOption("--cpus", options.cpus, problems, "number"),
      memoryMB: megabytes("--memory", options.memory, problems),
      diskGB: gigabytes("--disk", options.disk, problems),
    }),
  };
  const network = choiceOption("--network", options.network, networkModes, problems);
  const tier = choiceOption("--env-tier", options.envTier, ["1", "2", "3"], problems);
  const runtimes = await environments(options.env);
  const runtime = choiceOption("--env", options.env, runtimes.map(({ name }) => name), problems);
  const tiers = runtimes.find(({ name }) => name === runtime)?.tiers;
  if (tier !== undefined && tiers && !tiers.includes(Number(tier) as Tier)) {
    problems.add(
      `--env-tier ${tier} and --env ${runtime}: ${runtime} is tier ${tiers.join(", ")}; give one of them`,
    );
  }
  return {
    ...withoutPlace(fromFile, { runtime: tier !== undefined, tier: (runtime ?? "auto") !== "auto" }),
    ...definedOnly({
      runtime,
      tier: tier === undefined ? undefined : Number(tier) as Tier,
      baseImage: readImage(options.image, problems),
      targetPlugin: options.build === undefined || fromFile.targetPlugin === undefined
        ? undefined
        : { ...fromFile.targetPlugin, buildCommand: String(options.build) },
      resources: Object.keys(resources).length === 0 ? undefined : resources,
      network,
    }),
  };
}

/** Removes the file's runtime or tier if an option names the other: a runtime implies its tier. */
function withoutPlace(
  { runtime, tier, ...rest }: Partial<EnvironmentConfig>,
  without: { runtime: boolean; tier: boolean },
): Partial<EnvironmentConfig> {
  return {
    ...rest,
    ...definedOnly({
      runtime: without.runtime ? undefined : runtime,
      tier: without.tier ? undefined : tier,
    }),
  };
}

/** Names of the runtimes, loaded only if one is named; "auto" takes the most isolated one available. */
async function environments(asked: unknown): Promise<{ name: string; tiers?: readonly Tier[] }[]> {
  if (asked === undefined || asked === "auto") return [{ name: "auto" }];
  const { registry } = await import("../../runtimes/_registry.ts");
  return [{ name: "auto" }, ...registry];
}
