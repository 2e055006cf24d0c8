/** What programs say when something that they need is not there. */

export interface MissingDependency {
  kind: "module" | "command" | "library" | "service" | "package";
  /** Name of it: a module, a program, `host:port`. */
  name: string;
  /** The words that tell. */
  words: string;
}

const signs: { kind: MissingDependency["kind"]; pattern: RegExp }[] = [
  { kind: "module", pattern: /Cannot find (?:module|package) ['"]([^'"]+)['"]/ },
  { kind: "module", pattern: /No module named ['"]?([\w.]+)['"]?/ },
  { kind: "module", pattern: /Module not found:? (?:Error: )?(?:Can't resolve )?["']([^"']+)["']/ },
  { kind: "module", pattern: /(?:Could not resolve|Failed to resolve import) "([^"]+)"/ },
  { kind: "module", pattern: /no required module provides package ([\w./-]+)/ },
  { kind: "module", pattern: /unresolved import `([\w:]+)`/ },
  { kind: "command", pattern: /spawn(?:Sync)? (\S+) ENOENT/ },
  { kind: "command", pattern: /(?:^|\n)\S*(?:sh|bash|dash)\b[^\n]*: ([\w.+-]+): (?:command )?not found/ },
  { kind: "command", pattern: /(?:^|\n)make[^\n]*: ([\w.+-]+): No such file or directory/ },
  { kind: "command", pattern: /FileNotFoundError: \[Errno 2\] No such file or directory: '([\w.+-]+)'/ },
  { kind: "library", pattern: /([\w.+-]+\.so[\w.]*): cannot open shared object file/ },
  { kind: "library", pattern: /fatal error: ([\w./+-]+\.h(?:pp)?): No such file or directory/ },
  {
    kind: "library",
    pattern:
      /(?:Package|package) '?([\w.+-]+)'?,? (?:required by [^\n]*, )?(?:was )?not found in the pkg-config/,
  },
  { kind: "service", pattern: /connect ECONNREFUSED ([\w.:[\]-]+)/ },
  { kind: "service", pattern: /(?:getaddrinfo|queryA?) (?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/ },
  { kind: "service", pattern: /[Cc]onnection (?:to [^\n]*?)?refused[^\n]*?([\w.-]+:\d+)?/ },
  {
    kind: "service",
    pattern:
      /(?:Name or service not known|Temporary failure in name resolution|could not connect to server)()/,
  },
  { kind: "package", pattern: /No matching distribution found for ([\w.[\]=<>~-]+)/ },
  { kind: "package", pattern: /npm (?:error|ERR!) 404\s+'?([@\w./-]+)@?[^\n]* is not in/ },
  {
    kind: "package",
    pattern: /npm (?:error|ERR!) (?:notarget|code (?:E404|ETARGET))[^\n]*?(?:for ([@\w./-]+))?/,
  },
];

/** The first such sign in a text, or undefined. */
export function findMissing(text: string): MissingDependency | undefined {
  for (const { kind, pattern } of signs) {
    const match = pattern.exec(text);
    if (match) return { kind, name: match[1] ?? "", words: match[0].trim() };
  }
  return undefined;
}
