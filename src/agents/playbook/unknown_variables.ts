/** Uses of variables in turns, which an earlier turn of the lane must have bound. */
import { folderVariables } from "./folder_variables.ts";
import type { Path } from "../../core/read_source.ts";
import { isObject } from "../../core/values.ts";
import { pathText } from "../../core/issue_text.ts";
import { variableReferences } from "../../testing/format/variables.ts";
import type { PlaybookText } from "../../../machines/model/playbook.ts";

type Turns = NonNullable<PlaybookText["turns"]>;

/** Finds `$name` that no turn up to then binds; `$$` is a plain dollar. */
export function unknownVariables(
  { turns = [], lanes = [], judge = [] }: PlaybookText,
): { at: Path; message: string }[] {
  return [
    ...unknownIn(turns, ["turns"]),
    ...lanes.flatMap(({ turns }, index) => unknownIn(turns, ["lanes", index, "turns"])),
    ...unknownIn(judge, ["judge"]),
  ];
}

function unknownIn(turns: Turns, path: Path) {
  const bound = new Set<string>(folderVariables);
  return turns.flatMap(({ bind = {}, text, thinking, calls = [] }, index) => {
    for (const name of Object.keys(bind)) bound.add(name);
    const places: [unknown, Path][] = [
      [text, ["text"]],
      [thinking, ["thinking"]],
      ...calls.map(({ input }, call): [unknown, Path] => [input, ["calls", call, "input"]]),
    ];
    return places.flatMap(([value, place]) =>
      referencesIn(value, [...path, index, ...place]).filter(({ name }) => !bound.has(name))
    ).map(({ name, at }) => ({
      at,
      message: `${pathText(at)}: $${name} is bound by no turn up to here ($$ is a plain dollar)`,
    }));
  });
}

function referencesIn(value: unknown, at: Path): { name: string; at: Path }[] {
  if (typeof value === "string") return variableReferences(value).map((name) => ({ name, at }));
  if (Array.isArray(value)) return value.flatMap((item, index) => referencesIn(item, [...at, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => referencesIn(item, [...at, key]));
}
