/** Ids of tests: the name as a slug, numbered where two are alike. */
import type { TestCase } from "../../../machines/model/test_case.ts";

/** Letters and digits in lower case joined by "-"; a name without any becomes "test". */
export function slug(name: string): string {
  const words = name.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "").match(/[\p{L}\p{N}]+/gu);
  return words?.join("-") ?? "test";
}

/** Gives every test a unique id; the same tests in the same order get the same ids. */
export function assignIds(tests: readonly TestCase[]): TestCase[] {
  const slugs = new Set(tests.map((test) => slug(test.name)));
  const taken = new Set<string>();
  return tests.map((test) => {
    const base = slug(test.name);
    let id = base;
    // A numbered id must not take the plain slug of another test ("a-2" next to two tests named "a").
    for (let n = 2; taken.has(id) || (id !== base && slugs.has(id)); n++) id = `${base}-${n}`;
    taken.add(id);
    return { ...test, id };
  });
}
