/** How far a fix reaches, read from the files and lines that it changed. */
import type { FixRecord } from "../../machines/model/fix.ts";

/** Files that decide what is installed and how all is built: a change of them reaches beyond its own lines. */
const reaching =
  /(^|\/)(package(-lock)?\.json|(yarn|pnpm|poetry|uv|Cargo)[\w.-]*lock[\w.]*|pyproject\.toml|requirements[\w.-]*\.txt|setup\.(py|cfg)|Cargo\.toml|go\.(mod|sum)|tsconfig[\w.-]*\.json|Makefile|CMakeLists\.txt|Dockerfile|Gemfile(\.lock)?|pom\.xml|build\.gradle(\.kts)?)$/;

/** `Low — single file, 4 lines changed`. */
export function riskOf({ files, changed }: Pick<FixRecord, "files" | "changed">): string {
  const lines = changed && Math.max(changed.added, changed.removed);
  const special = files.filter((file) => reaching.test(file));
  const level = files.length > 5 || (lines ?? 0) > 200
    ? "High"
    : files.length > 1 || (lines ?? 0) > 40 || special.length > 0
    ? "Medium"
    : "Low";
  const facts = [
    files.length === 1 ? "single file" : `${files.length} files`,
    ...(lines === undefined ? [] : [`${lines} ${lines === 1 ? "line" : "lines"} changed`]),
    ...(special.length === 0 ? [] : [`what is installed or built changes (${special.join(", ")})`]),
  ];
  return `${level} — ${facts.join(", ")}`;
}
