/** References in what a plugin declares: `${CLAUDE_PLUGIN_ROOT}`, `${user_config.KEY}`, `${VAR}`, `${VAR:-default}`. */

const reference = /\$\{([A-Za-z_][\w.]*)(?::-([^}]*))?\}/g;

/** Replaces references by values; unknown names without a default become "" and are collected in `missing`. */
interface Expander {
  expand(text: string): string;
  readonly missing: Set<string>;
}

export function makeExpander(values: Record<string, string | undefined>): Expander {
  const missing = new Set<string>();
  const lookUp = (_: string, name: string, otherwise: string | undefined): string => {
    const key = name.replace(/^user_config\./, "");
    const value = values[key] || otherwise || values[key];
    if (value === undefined && otherwise === undefined) missing.add(key);
    return value ?? "";
  };
  return { expand: (text) => text.replace(reference, lookUp), missing };
}

/** Names that the texts refer to, without `user_config.`, in order. */
export function configReferences(texts: Iterable<string>): { name: string; hasDefault: boolean }[] {
  const found = new Map<string, boolean>();
  for (const text of texts) {
    for (const [, name, otherwise] of text.matchAll(reference)) {
      const key = name!.replace(/^user_config\./, "");
      found.set(key, (found.get(key) ?? true) && otherwise !== undefined);
    }
  }
  return [...found].map(([name, hasDefault]) => ({ name, hasDefault }));
}
