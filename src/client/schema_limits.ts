/** Limits of a server's schema, measured before anything recursive is done with it. */
import { isObject } from "../core/values.ts";

/** Real schemas stay far below: the largest of 500 published tools has some hundred objects. */
export const schemaLimits = {
  /** Characters of all texts and names together. */
  characters: 1_000_000,
  /** Objects and lists. */
  objects: 5_000,
  /** Objects and lists within each other. */
  levels: 250,
  /** Members of all objects and lists together. */
  members: 100_000,
  /** Patterns: each is compiled. */
  patterns: 500,
};

interface Open {
  value: unknown;
  level: number;
  path: string;
}

/** Finds the limit that a schema goes beyond, and where; undefined where it keeps to all of them. Never recursive itself. */
export function schemaExcess(schema: unknown): string | undefined {
  const open: Open[] = [{ value: schema, level: 0, path: "" }];
  const found = { characters: 0, objects: 0, patterns: 0, members: 0 };
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, level, path } = next;
    if (typeof value === "string") found.characters += value.length;
    if (typeof value === "object" && value !== null) {
      found.objects++;
      if (level > schemaLimits.levels) return tell(path, "levels within each other", schemaLimits.levels);
      const members = Array.isArray(value) ? value.length : Object.keys(value).length;
      found.members += members;
      if (found.members > schemaLimits.members) return tell(path, "members", schemaLimits.members);
      for (const [key, child] of Object.entries(value)) {
        if (!Array.isArray(value)) found.characters += key.length;
        if (key === "pattern" && typeof child === "string") found.patterns++;
        if (key === "patternProperties" && isObject(child)) found.patterns += Object.keys(child).length;
        open.push({ value: child, level: level + 1, path: deeper(path, key) });
      }
    }
    for (const key of ["characters", "objects", "patterns"] as const) {
      if (found[key] > schemaLimits[key]) return tell(path, words[key], schemaLimits[key]);
    }
  }
  return undefined;
}

const words = { characters: "characters", objects: "objects and lists", patterns: "patterns" };

const tell = (path: string, what: string, most: number): string =>
  `the schema goes beyond what is read of one: over ${most.toLocaleString("en")} ${what}, at ${
    path || "its top"
  }`;

/** A path that is to be read by a person ends somewhere. */
const deeper = (path: string, key: string): string => {
  if (path.endsWith("…")) return path;
  const next = path === "" ? key.slice(0, 60) : `${path}/${key.slice(0, 60)}`;
  return next.length > 200 ? `${path}/…` : next;
};
