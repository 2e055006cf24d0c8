/** Where what a handler answers comes from: a look at names, not at a syntax tree. */

/** Lines of a block that make the answer, the nearest to it first; then the lines that answer. */
export function linesBehindAnswer(lines: readonly string[]): number[] {
  const answers = lines.flatMap((line, index) => answering.test(line) ? [index] : []);
  const found: number[] = [];
  const names = new Set(answers.flatMap((index) => namesIn(lines[index]!)));
  for (let index = (answers.at(-1) ?? 0) - 1; index >= 0; index--) {
    const [, assigned, value] = assignment.exec(lines[index]!) ?? [];
    if (assigned === undefined || !names.has(assigned)) continue;
    found.push(index);
    for (const name of namesIn(value!)) names.add(name);
  }
  // An answer that is computed where it is given has no line before it.
  const computed = answers.filter((index) => /\s[-+*/%]\s/.test(lines[index]!));
  return found.length > 0 ? [...found, ...answers] : computed;
}

const answering = /\breturn\b|["']?\btext["']?\s*:|=>\s*(?!\{)\S/;
const assignment =
  /^\s*(?:export\s+)?(?:(?:const|let|var|auto|final)\s+)?(?:mut\s+)?(\w+)\s*(?::[^=]+)?(?:[-+*/%]|\|\||\?\?|:)?=(?![=>])(.*)$/;

const namesIn = (text: string): string[] =>
  text.replaceAll(/"[^"]*"|'[^']*'/g, "").match(/(?<![\w.])[A-Za-z_]\w*/g) ?? [];
