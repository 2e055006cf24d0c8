/** `pth images`: the base images that environments are made from. */
import { Argument, Option } from "commander";
import { PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { type CommandContext, type CommandLine, defineCommand } from "../command.ts";
import { listenForInterrupts } from "../listen_for_interrupts.ts";
import { renderTable } from "../render_table.ts";
import type { ImageInfo } from "../../runtimes/images/catalogue.ts";
import { count } from "../../core/text.ts";

type Images = typeof import("../../runtimes/images.ts");
type Action = (
  images: Images,
  line: CommandLine,
  context: CommandContext,
  signal: AbortSignal,
) => Promise<void>;

const actions: Record<string, Action> = { list, build, unpack, prune };

export default defineCommand({
  configure(command) {
    command
      .addArgument(new Argument("<action>", "what to do").choices(Object.keys(actions)))
      .argument("[names...]", "images, for example debian12, debian12-systemd, debian12-vm")
      .addOption(
        new Option("--with <way>", "build, virtual machines only: how").choices(["bootstrap", "packer"]),
      )
      .option(
        "--from <disk>",
        "build, virtual machines only: cloud image (file or URL) that Packer starts from",
      )
      .option("--all", "prune: also remove base images")
      .addHelpText("after", help);
  },
  async run(line, context) {
    const interruption = listenForInterrupts(context);
    try {
      refuseUnfit(line);
      const images = await import("../../runtimes/images.ts");
      await actions[line.operands[0]!]!(images, line, context, interruption.signal);
      return 0;
    } catch (error) {
      const interrupted = interruption.exitCode();
      if (interrupted === undefined) throw error;
      return interrupted;
    } finally {
      interruption.stop();
    }
  },
});

/** Names and options that each action accepts; others are refused. */
const heeded: Record<string, { names: boolean; options: readonly string[] }> = {
  list: { names: false, options: [] },
  build: { names: true, options: ["with", "from"] },
  unpack: { names: true, options: [] },
  prune: { names: false, options: ["all"] },
};

function refuseUnfit({ operands: [action = "", ...names], options }: CommandLine): void {
  const { names: takesNames, options: known } = heeded[action]!;
  const option = ["with", "from", "all"].find((name) => options[name] !== undefined && !known.includes(name));
  if (option !== undefined) {
    throw new PthError("INVALID_INPUT", `Cannot ${action} images: --${option} does not apply`, {
      next: ["See the options of each action: pth images --help"],
    });
  }
  if (takesNames || names.length === 0) return;
  throw new PthError(
    "INVALID_INPUT",
    `Cannot ${action} images by name: this command works on all images; omit names`,
    {
      next: [`pth images ${action}`],
    },
  );
}

const help = `
Actions:
  list            every known image: its age, size, and whether its inputs changed since it was built
  build <name…>   build, or build anew: for the container engine, or the disk of a virtual machine (NAME-vm: from the
                  host's apt mirror where it can, else by Packer from the distribution's cloud image)
  unpack <name…>  unpack the root file system for the sandbox
  prune           remove what newer builds replaced and what broken ones left`;

async function list({ listImages }: Images, _line: CommandLine, { stdout }: CommandContext): Promise<void> {
  const images = await listImages();
  const rows = images.map((
    image,
  ) => [image.name, state(image), age(image), size(image), digest(image), image.how]);
  stdout.write(renderTable(["image", "state", "age", "size", "digest", "how"], rows));
}

function state({ present, unknown, stale, unpacked, buildable }: ImageInfo): string {
  const absent = unknown ? "unknown" : buildable ? "not built" : "not buildable";
  const built = present ? (stale ? "stale" : "ready") : absent;
  return unpacked === undefined ? built : `${built}, unpacked`;
}

/** Golden states belong to the image, and go with it. */
const size = ({ sizeMB, goldenMB }: ImageInfo): string =>
  sizeMB === undefined ? "-" : `${sizeMB} MB${goldenMB === undefined ? "" : ` + ${goldenMB} MB golden`}`;

const age = ({ ageDays }: ImageInfo): string =>
  ageDays === undefined ? "-" : ageDays === 0 ? "today" : count(ageDays, "day");
const digest = (image: ImageInfo): string => image.digest?.replace("sha256:", "").slice(0, 12) ?? "-";

async function build(
  images: Images,
  line: CommandLine,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const way = images.vmWays.find((way) => way === line.options.with);
  const from = line.options.from as string | undefined;
  for (const name of namesOf(line, images)) {
    const info = await images.buildBaseImage(name, {
      signal,
      ...definedOnly({ way, from }),
      onOutput: (text) => context.stderr.write(text),
    });
    context.stdout.write(`${info.tag} is ready${info.sizeMB === undefined ? "" : ` (${info.sizeMB} MB)`}\n`);
  }
}

async function unpack(
  images: Images,
  line: CommandLine,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  for (const name of namesOf(line, images)) {
    const folder = await images.unpackBaseImage(name, {
      signal,
      onOutput: (text) => context.stderr.write(text),
    });
    context.stdout.write(`${folder}\n`);
  }
}

/** Every name is checked before the first is worked on. */
function namesOf({ operands }: CommandLine, { resolveImage }: Images): string[] {
  const [action, ...names] = operands;
  if (names.length === 0) {
    throw new PthError("INVALID_INPUT", `Cannot ${action} images: no image is named`, {
      next: [`pth images list`, `pth images ${action} debian12`],
    });
  }
  for (const name of names) resolveImage(name);
  return names;
}

async function prune({ pruneImages }: Images, line: CommandLine, { stdout }: CommandContext): Promise<void> {
  const { removed, inUse, skipped } = await pruneImages({ all: line.options.all === true });
  for (const name of removed) stdout.write(`removed ${name}\n`);
  for (const name of inUse) stdout.write(`in use, kept ${name}\n`);
  if (skipped !== undefined) stdout.write(`not checked: ${skipped}\n`);
  if (removed.length + inUse.length === 0) stdout.write("nothing to remove\n");
}
