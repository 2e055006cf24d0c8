/** Environments of a matrix as people write them: `debian12`, `sandbox:debian13`, `host`. */
import type { EnvironmentConfig } from "../../machines/model/environment.ts";
import type { MatrixEntry } from "../../machines/model/matrix.ts";
import { imageReferenceProblem } from "../api/image_reference_problem.ts";
import { catalogue } from "../runtimes/images/catalogue.ts";
import { didYouMean } from "../core/did_you_mean.ts";
import { definedOnly } from "../core/values.ts";

const bare = (image: string): string => image.replace(/^pth-base-/, "").replace(/:latest$/, "");

/** Distribution of an image: `debian13` of `debian13-systemd`; a user's own image stands for itself. */
export const distroOf = (image: string): string =>
  catalogue.find(({ name }) => name === bare(image))?.folder ?? image;

/** Makes an entry of the matrix with the name under which it is shown and identified. */
export function entryOf({ runtime, image }: { runtime?: string; image?: string }): MatrixEntry {
  const known = image === undefined ? undefined : bare(image);
  const shown = [runtime, known].filter((part) => part !== undefined).join(":");
  return definedOnly({
    name: shown,
    distro: known === undefined ? runtime ?? "default" : distroOf(known),
    runtime,
    image: known,
  });
}

/**
 * Reads one entry. A tag or a path distinguishes a user's own image from a misspelt name, as in `docker:alpine:3`.
 * @param runtimes names of the runtimes that there are
 */
export function readEntry(
  text: string,
  runtimes: readonly string[],
): { entry: MatrixEntry } | { problem: string } {
  const asked = text.trim();
  if (runtimes.includes(asked)) return { entry: entryOf({ runtime: asked }) };
  const at = asked.indexOf(":");
  const runtime = runtimes.find((name) => asked.startsWith(`${name}:`));
  const image = runtime === undefined ? asked : asked.slice(at + 1);
  if (isImage(image)) return { entry: entryOf({ image, ...(runtime === undefined ? {} : { runtime }) }) };
  if (image === "") return { problem: `"${asked}" names no image after ":"` };
  const why = /[/:@]/.test(image) ? imageReferenceProblem(image) : undefined;
  if (why !== undefined) return { problem: `"${asked.slice(0, 80)}" names no image: ${why}` };
  const near = didYouMean(bare(image), catalogue.map(({ name }) => name)) ?? didYouMean(image, runtimes);
  const hint = near === undefined
    ? `known images: ${catalogue.map(({ name }) => name).join(", ")}; runtimes: ${runtimes.join(", ")}; ` +
      "an image of your own is named with its tag, as in docker:alpine:3"
    : `did you mean "${near}"?`;
  return { problem: `there is no image "${image}" (${hint})` };
}

const isImage = (image: string): boolean =>
  catalogue.some(({ name }) => name === bare(image)) ||
  (/[/:@]/.test(image) && imageReferenceProblem(image) === undefined);

/** Reads a comma-separated list of entries; there are none if the list has problems. */
export function readEntries(
  text: string,
  runtimes: readonly string[],
): { entries: MatrixEntry[]; problems: string[] } {
  const read = text.split(",").map((part) => part.trim() === "" ? emptyPart : readEntry(part, runtimes));
  const problems = read.flatMap((one) => "problem" in one ? [one.problem] : []);
  const entries = read.flatMap((one) => "entry" in one ? [one.entry] : []);
  problems.push(...duplicateEntries(entries));
  if (problems.length === 0 && entries.length < 2) {
    problems.push("a matrix has two entries or more, not one");
  }
  return problems.length === 0 ? { entries, problems } : { entries: [], problems: [...new Set(problems)] };
}

const emptyPart = { problem: "there is nothing between two commas, or at an end" };

/** Entries that are listed more than once. */
export function duplicateEntries(entries: readonly MatrixEntry[]): string[] {
  const names = entries.map(({ name }) => name);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
    .map((name) => `${name} is listed twice`);
}

/** The runtime of the configuration, and the entry's where it names one. */
export function applyEntry(
  { runtime, image }: MatrixEntry,
  config: Partial<EnvironmentConfig>,
): Partial<EnvironmentConfig> {
  const { baseImage: _other, ...kept } = config;
  return { ...kept, ...definedOnly({ runtime, baseImage: image }) };
}
