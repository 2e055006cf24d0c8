/** Programs in the languages that tools take code in: each says 2, and does nothing else. */
import type { GeneratedInput } from "./schema_properties.ts";

export const javascript = "console.log(1 + 1)";

const samples: [RegExp, string][] = [
  [/^(?:javascript|js|node|nodejs|deno|bun|jsx)$/, javascript],
  [/^(?:typescript|ts|tsx)$/, "const value: number = 1 + 1;\nconsole.log(value);"],
  [/^(?:python|python3|py)$/, "print(1 + 1)"],
  [/^(?:bash|shell|sh|zsh)$/, "echo pth-example"],
  [/^(?:go|golang)$/, 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(1 + 1) }\n'],
  [/^(?:rust|rs)$/, 'fn main() { println!("{}", 1 + 1); }\n'],
  [/^java$/, "class Main {\n  public static void main(String[] args) { System.out.println(1 + 1); }\n}\n"],
  [/^c$/, '#include <stdio.h>\nint main(void) { printf("%d\\n", 1 + 1); return 0; }\n'],
  [/^(?:cpp|c\+\+|cxx)$/, "#include <iostream>\nint main() { std::cout << 1 + 1; }\n"],
  [/^(?:csharp|c#|cs)$/, "System.Console.WriteLine(1 + 1);"],
  [/^(?:ruby|rb)$/, "puts 1 + 1"],
  [/^php$/, "<?php echo 1 + 1;"],
  [/^perl$/, "print 1 + 1;"],
  [/^lua$/, "print(1 + 1)"],
  [/^r$/, "print(1 + 1)"],
  [/^sql$/, "SELECT 1"],
  [/^html$/, "<p>example</p>"],
  [/^css$/, "p { color: #336699; }"],
  [/^json$/, '{"name":"example","value":1}'],
];

/** A program in a language by its usual name, or undefined. */
export const codeIn = (language: string): string | undefined =>
  samples.find(([sign]) => sign.test(language.toLowerCase()))?.[1];

/** Languages whose names are words of other meanings need a word next to them. */
const told: [RegExp, string][] = [
  [/\b(?:golang|go (?:code|source|program|snippet|file))\b/i, "go"],
  [/\brust\b/i, "rust"],
  [/\bjava\b/i, "java"],
  [/\btypescript\b/i, "typescript"],
  [/\bc\+\+/i, "cpp"],
  [/\bruby\b/i, "ruby"],
  [/\bphp\b/i, "php"],
  [/\blua\b/i, "lua"],
];

/** A program in the language that a description names, if that is one of those whose names say little alone. */
export function describedCode(description: string): string | undefined {
  const found = told.filter(([sign]) => sign.test(description));
  // Of several languages none is the one.
  return found.length === 1 ? codeIn(found[0]![1]) : undefined;
}

/** The input with code in the language that it names in another property. */
export function withCodeOfLanguage(input: GeneratedInput): GeneratedInput {
  const language = Object.entries(input).find(([name, value]) =>
    /^(?:lang|language|runtime|interpreter|programming_?language)$/i.test(name) && typeof value === "string"
  )?.[1] as string | undefined;
  const code = language === undefined ? undefined : codeIn(language);
  if (code === undefined) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, value === javascript ? code : value]),
  );
}
