/** A name is exported by one file only, and a file is found by the name of what it exports. */
import { posix } from "node:path";
import { defineCheck } from "./check.ts";
import { type ExportedName, exportedNames, sourceFiles, wordsIn } from "./exported_names.ts";

/** Files that are named by their role. */
const namedByRole = /^(?:app|index|main|mod)$/;

export default defineCheck({
  name: "exported names are unique, and files have the name of an export",
  async run(tree) {
    const files = await Promise.all(
      sourceFiles(tree).map(async (path) => {
        const text = await tree.read(path);
        return { path, names: exportedNames(path, text), hasDefault: /^export default\b/m.test(text) };
      }),
    );
    const places = Map.groupBy(files.flatMap(({ names }) => names), ({ name }) => name);
    const problems: string[] = [];
    for (const { path, names, hasDefault } of files) {
      for (const { name, place } of names) {
        const others = places.get(name)!.filter((other) => other.place !== place);
        if (others.length > 0) {
          problems.push(
            `${place}: ${name} is also exported by ${others.map(({ place }) => place).join(", ")}; ` +
              "give each a name of its own, or keep one",
          );
        }
      }
      if (names.length > 0 && !hasDefault && !isNamedFor(path, names)) {
        problems.push(`${path}: has the name of none of its exports (${suggest(names)})`);
      }
    }
    return problems;
  },
});

/**
 * Whether a file has the name of one of its exports. Words of its folders may be left out (`docker/probe.ts`
 * exports `probeDocker`), and verbs that only make (`oracle.ts` exports `defineOracle`). A file of two or three
 * values may have the name of their subject instead, singular or plural: `worktree.ts` exports `addWorktree` and
 * `removeWorktree`. Four or more, or six with types, are a collection, whose name this check leaves to the reader.
 */
export function isNamedFor(path: string, names: ExportedName[]): boolean {
  const base = posix.basename(path).replace(/\.tsx?$/, "");
  const values = names.filter(({ isType }) => !isType).length;
  if (namedByRole.test(base) || values > 3 || names.length > 5) return true;
  const folders = new Set(wordsIn(posix.dirname(path).replaceAll("/", "_")).map(singular));
  const outside = (all: string[]) => all.filter((word) => !folders.has(word));
  const words = wordsIn(base).map(singular);
  const exported = names.map(({ name }) =>
    wordsIn(name.replace(maker, "").replace(/(?:Of|In)$/, "")).map(singular)
  );
  const isSame = (all: string[]) =>
    all.join() === words.join() || outside(all).length > 0 && outside(all).join() === outside(words).join();
  if (exported.some(isSame) || names.some(({ name }) => isSame(wordsIn(name).map(singular)))) return true;
  const subject = outside(words).length > 0 ? outside(words) : words;
  return values !== 1 && names.length > 1 &&
    exported.some((all) => subject.every((word) => all.includes(word)));
}

const maker = /^(?:create|define|make|open)(?=[A-Z])/;

const singular = (word: string): string =>
  /(?:ss|us|is)$/.test(word) ? word : word.replace(/ies$/, "y").replace(/s$/, "");

const suggest = (names: ExportedName[]): string => {
  const values = names.filter(({ isType }) => !isType);
  return (values.length > 0 ? values : names).slice(0, 4).map(({ name }) => wordsIn(name).join("_")).join(
    ", ",
  );
};
