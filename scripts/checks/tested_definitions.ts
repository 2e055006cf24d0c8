/** Says which definitions have no test, or stand in no page, and where those belong. */
import { type DefinitionKind, definitionKinds } from "../gen/definition_kinds.ts";
import { type DefinitionFile, definitionsOf } from "../gen/registries.ts";
import { defineCheck, type Tree } from "./check.ts";

export default defineCheck({
  name: "every definition has its test",
  async run(tree) {
    const problems: string[] = [];
    for (const kind of definitionKinds) {
      const shared = await textsOf(tree, (kind.sharedTests ?? []).map(pattern));
      const page = kind.page === undefined ? undefined : await textsOf(tree, [pattern(kind.page)]);
      for (const file of await definitionsOf(tree.root, kind)) {
        const words = await wordsFor(tree, file);
        const own = ownTests(file);
        if (
          kind.test.includes("<name>") && !own.some((path) => tree.paths.includes(path)) &&
          !names(shared, words)
        ) {
          problems.push(`${file.path}: has no test; write ${own.join(" or ")}: ${kind.tested}`);
        }
        if (page !== undefined && !names(page, words)) {
          problems.push(
            `${file.path}: ${kind.page} does not name ${kind.what} \`${words[0]}\`; tell there what it does`,
          );
        }
      }
    }
    return problems;
  },
});

const ownTests = ({ kind, name, category }: DefinitionFile): string[] =>
  [kind.test, ...kind.otherTests ?? []].map((path) =>
    path.replaceAll("<name>", name).replaceAll("<category>", category)
  );

/** How a definition may be called: by the text that its file gives as `id`, and by its file. */
async function wordsFor(tree: Tree, { kind, path, name }: DefinitionFile): Promise<string[]> {
  const id = idIn(await tree.read(path), kind);
  return [...(id === undefined ? [] : [id]), kind.inCategories ? `pth_${name}` : name];
}

const idIn = (text: string, { id }: DefinitionKind): string | undefined =>
  id === undefined ? undefined : new RegExp(`^  ${id}: "([^"]+)"`, "m").exec(text)?.[1];

/** Whether one of the texts has one of the words by itself, as a name is written. */
const names = (texts: string, words: readonly string[]): boolean =>
  words.some((word) => new RegExp(`(?<![\\w-])${RegExp.escape(word)}(?![\\w-])`, "i").test(texts));

async function textsOf(tree: Tree, patterns: readonly RegExp[]): Promise<string> {
  const paths = tree.paths.filter((path) => patterns.some((pattern) => pattern.test(path)));
  return (await Promise.all(paths.map((path) => tree.read(path)))).join("\n");
}

const pattern = (path: string): RegExp => new RegExp(`^${path.split("*").map(RegExp.escape).join("[^/]*")}$`);
