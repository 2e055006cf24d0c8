/**
 * Lists in the documentation that are made of definitions. A page has them between the lines
 * `<!-- generated: <list> -->` and `<!-- /generated -->`.
 */
import { join } from "node:path";
import type { z } from "zod";
import { listFolder, readTextFile } from "../../src/platform/files.ts";
import { definitionKinds } from "./definition_kinds.ts";
import type { GeneratedFile } from "./generated_file.ts";
import type { LoadedDefinition } from "./load_definitions.ts";
import { machineList, machineListNames } from "./machine_lists.ts";
import { typeOf } from "./test_reference.ts";

type Row = readonly string[];
type Lists = Record<string, (definitions: readonly LoadedDefinition[]) => string>;

const lists: Lists = {
  "kinds of definitions": () => table(["add", "file", "its test"], definitionKinds.map(kindRow)),
  "reporters": (all) =>
    table(
      ["reporter", "writes"],
      of(all, "defineReporter").map((one) => [code(one.id), text(one, "summary")]),
    ),
  "runtimes": (all) =>
    table(
      ["`--env`", "tier", "what it is", "needs"],
      runtimesByTier(all).map((
        one,
      ) => [code(one.id), tiersOf(one).join(", "), text(one, "summary"), text(one, "needs")]),
    ),
  "runtimes of tiers": (all) =>
    table(
      ["tier", "runtimes"],
      [1, 2, 3].map((tier) => [
        String(tier),
        runtimesByTier(all).filter((one) => tiersOf(one).includes(tier)).map(({ id }) => code(id)).join(", "),
      ]),
    ),
  "repairs": (all) =>
    table(
      ["repair", "reads and does"],
      of(all, "defineRepair").map((one) => [code(one.id), text(one, "summary")]),
    ),
  "expectations": (all) =>
    table(
      ["`type`", "holds where", "for example"],
      of(all, "defineExpectation").map((one) => [
        code(one.id),
        text(one, "summary"),
        code(JSON.stringify(one.definition.example)),
      ]),
    ),
  "definition rules": (all) =>
    table(
      ["rule", "finds"],
      of(all, "defineDefinitionRule").map((one) => [code(one.id), text(one, "summary")]),
    ),
  "kinds of packages": (all) =>
    table(
      ["`--kind`", "is there", "what is done"],
      of(all, "defineInstallKind").map((
        one,
      ) => [code(one.id), text(one, "detectedBy"), text(one, "summary")]),
    ),
  "test frameworks": (all) =>
    table(
      ["framework", "language", "is there", "what is done"],
      of(all, "defineFramework").map((one) => [
        code(one.id),
        text(one, "language"),
        text(one, "detectedBy"),
        text(one, "summary"),
      ]),
    ),
  "lint rules": (all) => table(["code", "finds"], of(all, "defineLintRule").flatMap(codesOfRule)),
  "assertions on answers": (all) => assertionTable(all, "response"),
  "assertions on commands": (all) => assertionTable(all, "command"),
};

/** Pages with lists as they should be. @throws {Error} for a list that does not exist, or without an end */
export async function documentLists(
  root: string,
  definitions: readonly LoadedDefinition[],
): Promise<GeneratedFile[]> {
  const names = (await listFolder(join(root, "docs"))).map(({ name }) => name).filter((name) =>
    name.endsWith(".md")
  );
  const files: GeneratedFile[] = [];
  for (const path of ["README.md", "machines/README.md", ...names.sort().map((name) => `docs/${name}`)]) {
    const before = await readTextFile(join(root, path));
    if (/^<!-- generated:/m.test(before)) files.push({ path, text: withLists(path, before, definitions) });
  }
  return files;
}

const marked = /^<!-- generated: ([^>]*?) -->([^]*?)(^<!-- \/generated -->|(?=^<!-- generated:)|$(?![^]))/gm;

/** The page with its lists made anew. @throws {Error} for a list that does not exist, or without an end */
export function withLists(path: string, page: string, definitions: readonly LoadedDefinition[]): string {
  return page.replace(marked, (_, name: string, _before: string, end: string) => {
    if (end === "") {
      throw new Error(`${path}: the list "${name}" has no end; write <!-- /generated --> after it`);
    }
    const text = Object.hasOwn(lists, name) ? lists[name]!(definitions) : machineList(name);
    if (text === undefined) {
      throw new Error(
        `${path}: there is no list "${name}"; choose one of: ${
          [...Object.keys(lists), ...machineListNames()].join(", ")
        }`,
      );
    }
    return `<!-- generated: ${name} -->\n\n${text}\n\n${end}`;
  });
}

const of = (definitions: readonly LoadedDefinition[], define: string): LoadedDefinition[] =>
  definitions.filter(({ kind }) => kind.define === define);

const text = ({ definition }: LoadedDefinition, member: string): string => String(definition[member]);

const tiersOf = ({ definition }: LoadedDefinition): number[] => definition.tiers as number[];

const runtimesByTier = (all: readonly LoadedDefinition[]): LoadedDefinition[] =>
  of(all, "defineRuntime").sort((a, b) =>
    tiersOf(a)[0]! - tiersOf(b)[0]! || Number(a.definition.rank) - Number(b.definition.rank)
  );

function kindRow(
  { what, folder, inCategories, define, test, tested }: (typeof definitionKinds)[number],
): Row {
  const file = `${folder}${inCategories ? "/<category>" : ""}/<name>.ts`;
  return [what, `${code(file)}: \`export default ${define}({ … })\``, `${code(test)}: ${tested}`];
}

/** A rule may tell several things apart, each with a code and a summary of its own. */
const codesOfRule = (rule: LoadedDefinition): Row[] => [
  [code(rule.id), text(rule, "summary")],
  ...Object.entries((rule.definition.codes ?? {}) as Record<string, string>).map(([one, summary]): Row => [
    code(one),
    summary,
  ]),
];

const assertionTable = (all: readonly LoadedDefinition[], subject: string): string =>
  table(
    ["key", "value", "holds when"],
    of(all, "defineAssertion").filter(({ definition }) => definition.subject === subject)
      .map((one) => [keysOf(one), typeOf(one.definition.schema as z.ZodType), `${text(one, "summary")}.`]),
  );

const keysOf = ({ id, definition }: LoadedDefinition): string =>
  definition.caseInsensitive === true ? `${code(id)}, ${code(`${id}_i`)}` : code(id);

const code = (words: string): string => `\`${words}\``;

const table = (head: Row, rows: readonly Row[]): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) =>
      `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`
    )
    .join("\n");
