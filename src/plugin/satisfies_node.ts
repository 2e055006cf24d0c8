/** Ranges of Node versions, as `engines` of a package.json has them. */

type Version = readonly [major: number, minor: number, patch: number];

/** Lines of Node in the order in which one is chosen: those with long support first. */
const lines = [22, 24, 26, 20, 18, 16, 14];

/** Highest minor and patch number of any release. */
const latest = 9999;

/** Whether a version is in a range; a range that cannot be read takes every version, as npm only warns of it. */
export function satisfiesNode(version: string, range: string): boolean {
  const read = readVersion(version);
  const tests = range.split("||").map(comparators);
  if (read === undefined || tests.some((test) => test === undefined)) return true;
  return tests.some((test) => test!.every((holds) => holds(read)));
}

/** Request to the registry for a Node: the newest release of a line that is in the range, else the range itself. */
export function nodeLineFor(range: string): string {
  const line = lines.find((major) => satisfiesNode(`${major}.${latest}.0`, range));
  return line === undefined ? range : String(line);
}

function readVersion(text: string): Version | undefined {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text.trim()) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

type Comparator = (version: Version) => boolean;

const part = String.raw`v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*])(?:-[\w.-]+)?)?`;
const hyphenated = new RegExp(`^\\s*${part}\\s+-\\s+${part}\\s*$`);
const single = new RegExp(`^(>=|<=|>|<|=|\\^|~>?)?\\s*${part}$`);

/** The conditions of one alternative, all of which have to hold; undefined where one cannot be read. */
function comparators(range: string): Comparator[] | undefined {
  const between = hyphenated.exec(range);
  if (between !== null) {
    const [low, high] = [between.slice(1, 4), between.slice(4, 7)];
    return [(version) => compare(version, lowest(low)) >= 0, (version) => compare(version, beyond(high)) < 0];
  }
  const words = range.trim().replaceAll(/(>=|<=|>|<|=|\^|~>?)\s+/g, "$1").split(/\s+/).filter((word) =>
    word !== ""
  );
  const found = words.map(comparator);
  return found.some((one) => one === undefined) ? undefined : found as Comparator[];
}

function comparator(word: string): Comparator | undefined {
  const [, sign = "", ...parts] = single.exec(word) ?? [undefined, undefined];
  if (parts[0] === undefined) return undefined;
  const [low, high] = [lowest(parts), beyond(parts)];
  if (sign === ">=") return (version) => compare(version, low) >= 0;
  if (sign === ">") return (version) => compare(version, high) >= 0;
  if (sign === "<") return (version) => compare(version, low) < 0;
  if (sign === "<=") return (version) => compare(version, high) < 0;
  const end = sign === "^" ? caretEnd(parts) : sign.startsWith("~") ? beyond(parts.slice(0, 2)) : high;
  return (version) => compare(version, low) >= 0 && compare(version, end) < 0;
}

type Parts = readonly (string | undefined)[];

/** Numbers up to the first that is left open. */
function numbers(parts: Parts): number[] {
  const open = parts.findIndex((text) => text === undefined || /^[xX*]$/.test(text));
  return parts.slice(0, open < 0 ? 3 : open).map(Number);
}

function lowest(parts: Parts): Version {
  const [major = 0, minor = 0, patch = 0] = numbers(parts);
  return [major, minor, patch];
}

/** The first version beyond all that the parts name. */
function beyond(parts: Parts): Version {
  const [major, minor, patch] = numbers(parts);
  if (major === undefined) return [Infinity, 0, 0];
  if (minor === undefined) return [major + 1, 0, 0];
  return patch === undefined ? [major, minor + 1, 0] : [major, minor, patch + 1];
}

const caretEnd = (parts: Parts): Version => {
  const [major = 0, minor] = numbers(parts);
  return major > 0 || minor === undefined ? [major + 1, 0, 0] : [0, minor + 1, 0];
};

function compare(one: Version, other: Version): number {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : one[at]! - other[at]!;
}

/** Whether a text is a range of versions at all. */
export const isNodeRange = (range: string): boolean =>
  range.split("||").map(comparators).every((test) => test !== undefined);
