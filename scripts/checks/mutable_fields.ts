/**
 * State is held in small parts: no class, and no object whose fields are assigned, has more than 12 fields that change.
 *
 * A field of a class changes where it is not `readonly`, or holds a collection that can be written to. A field of an
 * interface changes where a file that knows the interface assigns it, or, in the context of a machine, where it is not
 * `readonly`; a `readonly` field of a context must not be assigned by its machine.
 */
import { defineCheck } from "./check.ts";
import { sourceFiles } from "./exported_names.ts";
import { placeOf, withoutTexts } from "./imports.ts";

const mostFields = 12;

/** A class or an interface, by its text. */
interface DeclaredType {
  kind: "class" | "interface";
  name: string;
  place: string;
  extended: string[];
  fields: DeclaredField[];
}

interface DeclaredField {
  name: string;
  isReadonly: boolean;
  /** Holds a collection that can be written to. */
  isCollection: boolean;
}

export default defineCheck({
  name: `no class or object has more than ${mostFields} fields that change`,
  async run(tree) {
    const files = await Promise.all(
      sourceFiles(tree).map(async (path) => ({ path, code: withoutTexts(await tree.read(path)) })),
    );
    const types = files.flatMap(({ path, code }) => declaredTypes(path, code));
    const contexts = machineContexts(files);
    const tooMany = types.flatMap((type) => {
      const changing = contexts.some(({ name }) => name === type.name) && type.place.startsWith("machines/")
        ? allFields(type, types).filter(({ isReadonly }) => !isReadonly)
        : type.kind === "class"
        ? type.fields.filter(({ isReadonly, isCollection }) => !isReadonly || isCollection)
        : assigned(type, files);
      return changing.length <= mostFields ? [] : [
        `${type.place}: ${type.name} has ${changing.length} fields that change (${
          changing.map(({ name }) => name).join(", ")
        }); give each concern an object of its own`,
      ];
    });
    return [...tooMany, ...contexts.flatMap((context) => wronglyAssigned(context, types))];
  },
});

interface MachineContext {
  name: string;
  /** Code of the files that make up its machine. */
  code: string;
}

/** Contexts of machines; a machine in several files is set up in one of them and named in the others. */
function machineContexts(files: readonly { path: string; code: string }[]): MachineContext[] {
  const machines = files.filter(({ path }) => path.startsWith("machines/"));
  return machines.flatMap(({ code }) =>
    [...code.matchAll(/\bcontext: \{\} as (\w+)/g)].map(([, name]) => {
      const setup = /\bconst (\w+) = setup\(/.exec(code)?.[1] ?? "";
      const parts = machines.filter((one) =>
        one.code === code || (setup.endsWith("Setup") && new RegExp(`\\b${setup}\\b`).test(one.code))
      );
      return { name: name!, code: parts.map((part) => part.code).join("\n") };
    })
  );
}

/** A context's fields that its machine assigns, though they are declared `readonly`. */
function wronglyAssigned({ name, code }: MachineContext, types: readonly DeclaredType[]): string[] {
  return types.filter((type) => type.name === name && type.place.startsWith("machines/")).flatMap((type) => {
    const fixed = new Set(
      allFields(type, types).filter((field) => field.isReadonly).map((field) => field.name),
    );
    return [...code.matchAll(/\bassign\(\{/g)]
      .flatMap(({ index }) => keysIn(code.slice(index + "assign({".length)))
      .filter((key) => fixed.has(key))
      .map((key) => `${type.place}: the machine assigns ${name}.${key}, which is declared readonly`);
  });
}

/** Keys at the top level of an object literal, which begins behind its bracket. */
function keysIn(code: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  let isKey = true;
  for (const [token] of code.matchAll(/\w+|=>|\S/g)) {
    if (depth === 0 && isKey && /^\w+$/.test(token)) keys.push(token);
    if (/^[{([]$/.test(token)) depth++;
    else if (/^[})\]]$/.test(token)) depth--;
    if (depth < 0) break;
    isKey = depth === 0 && token === ",";
  }
  return keys;
}

/** Finds classes and interfaces in code without its texts and comments. */
function declaredTypes(path: string, code: string): DeclaredType[] {
  return [...code.matchAll(/\b(class|interface)\s+(\w+)(?:<[^{}]*?>)?([^{}]*)\{/g)].map((found) => {
    const [head, kind, name, heritage] = found as unknown as [string, DeclaredType["kind"], string, string];
    return {
      kind,
      name,
      place: placeOf(path, code, found.index),
      extended: /\bextends\s+([\w\s,]+)/.exec(heritage)?.[1]?.split(",").map((one) => one.trim()) ?? [],
      fields: fieldsIn(code.slice(found.index + head.length)),
    };
  });
}

/** Fields at the top level of a body, which begins behind its bracket. */
function fieldsIn(code: string): DeclaredField[] {
  const fields: DeclaredField[] = [];
  let depth = 0;
  for (const line of code.split("\n")) {
    const field = depth === 0 ? /^\s+(readonly\s+)?(#?\w+)[?!]?(:|\s=(?!>))(.*)/.exec(line) : null;
    const [, readonly, name, sign, rest] = field ?? [];
    // A function that is assigned once is a method.
    const isMethod = sign?.includes("=") && /^\s*(?:async\s*)?(?:\(|<|\w+\s*=>)/.test(rest!);
    if (name !== undefined && !isMethod) {
      fields.push({
        name: name!,
        isReadonly: readonly !== undefined,
        isCollection: writable.test(sign!.trim() + rest!),
      });
    }
    for (const bracket of line.match(/[{}()[\]]/g) ?? []) depth += "{([".includes(bracket) ? 1 : -1;
    if (depth < 0) break;
  }
  return fields;
}

/** A type or a value that can be written to. */
const writable =
  /^:\s*(?:(?:Weak)?(?:Map|Set)<|Record<|(?:\w[\w<>., ]*|\([^)]*\))\[\])(?<!readonly.*)|=\s*new (?:Weak)?(?:Map|Set)\b|=\s*[[{]/;

/** Fields of a type and of those it extends, as far as they are declared here; its own come first. */
function allFields(type: DeclaredType, types: readonly DeclaredType[]): DeclaredField[] {
  const inherited = type.extended.flatMap((name) => types.filter((one) => one.name === name))
    .flatMap((one) => allFields(one, types));
  return [
    ...type.fields,
    ...inherited.filter(({ name }) => !type.fields.some((field) => field.name === name)),
  ];
}

/** Fields of an interface that files which name it assign. */
function assigned(
  { name, fields }: DeclaredType,
  files: readonly { path: string; code: string }[],
): DeclaredField[] {
  if (fields.length <= mostFields) return [];
  const known = files.filter(({ code }) => new RegExp(`\\b${name}\\b`).test(code)).map(({ code }) => code);
  return fields.filter((field) =>
    known.some((code) =>
      new RegExp(
        `\\.${field.name}\\s*(?:=(?![=>])|\\?\\?=|[+-]=|\\+\\+|--)|(?:\\+\\+|--)[\\w.]+\\.${field.name}\\b`,
      )
        .test(code)
    )
  );
}
