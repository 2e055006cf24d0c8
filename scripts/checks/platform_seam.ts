/** Only src/platform/ touches the runtime, so that Deno and Node run the same code. */
import { defineCheck } from "./check.ts";
import { findImports, placeOf, withoutTexts } from "./imports.ts";

const hostModules =
  /^(node:)?(child_process|fs|fs\/promises|net|tls|http|https|dgram|process|worker_threads)$/;
const hostGlobals =
  /\bDeno\.|\bprocess\.(?:env|argv|exit|cwd|platform|arch|getuid|versions|on|once|memoryUsage|execPath)\b/g;

export default defineCheck({
  name: "only src/platform touches the host",
  async run(tree) {
    const problems: string[] = [];
    const outside = (path: string) => /^src\/.*\.ts$/.test(path) && !path.startsWith("src/platform/");
    for (const path of tree.paths.filter(outside)) problems.push(...findTouches(path, await tree.read(path)));
    return problems;
  },
});

function findTouches(path: string, text: string): string[] {
  const code = withoutTexts(text);
  return [
    ...findImports(path, text)
      .filter(({ specifier, typeOnly }) => hostModules.test(specifier) && !typeOnly)
      .map(({ specifier }) =>
        `${path}: imports "${specifier}"; use src/platform/ (add a small function there)`
      ),
    ...[...code.matchAll(hostGlobals)]
      .map((found) => `${placeOf(path, code, found.index)}: uses ${found[0]}; use src/platform/`),
  ];
}
