/** Ids of tests: the name as a slug, numbered where two are alike. */
import type { TestCase } from "../../../machines/model/test_case.ts";

/** Letters and digits in lower case joined by "-"; a name without any becomes "test". */
export function slug(name: string): string {
  const words = name.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "").match(/[\p{L}\p{N}]+/gu);
  return words?.join("-") ?? "test";
}

/** Gives every test a unique id; the same tests in the same order get the same ids. */
export function assignIds(tests: readonly TestCase[]): TestCase[] {
  const slugs = tests.map((test) => slug(test.name));
  const plain = new Set(slugs);
  const taken = new Set<string>();
  /** Numbers to try next; those below are taken. */
  const numbers = new Map<string, number>();
  return tests.map((test, index) => {
    const base = slugs[index]!;
    let id = base;
    let number = numbers.get(base) ?? 2;
    // A numbered id must not take the plain slug of another test ("a-2" next to two tests named "a").
    while (taken.has(id) || (id !== base && plain.has(id))) id = `${base}-${number++}`;
    if (id !== base) numbers.set(base, number);
    taken.add(id);
    return { ...test, id };
  });
}
