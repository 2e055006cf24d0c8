import type { TestLevel } from "../../../machines/model/project_test.ts";
import { escapePattern } from "../../core/text.ts";
import { countFiles, findFiles } from "../count_files.ts";
import { defineFramework, type TestProject } from "../framework.ts";
import { createGoReader, packageLine } from "../readers/go_reader.ts";
import { levelOf, noSuchLevel } from "../test_levels.ts";

const mostFilesRead = 500;
/** Compiles what the tests need, and starts none of them; what fails is told by the run, as other packages go on. */
const compile = 'go test -run "^$" -exec true "$@" >/dev/null 2>&1 || true';
/** Tells the folders of packages, which events name by their import path alone, then runs the tests. */
const run =
  `go list -e -f '${packageLine}{{"\\t"}}{{.ImportPath}}{{"\\t"}}{{.Dir}}' $PTH_GO_TAGS ./... 2>/dev/null
unset PTH_GO_TAGS
if [ -n "$PTH_TRACE_PROGRAM" ]; then set -- -exec "sh $PTH_TRACE_PROGRAM" "$@"; fi
exec go test -json -count=1 "$@"`;

/** Options by which a project's tests were built, for reruns. */
const builtWith = new WeakMap<TestProject, string[]>();

export default defineFramework({
  name: "go",
  summary:
    "packages of a module; the level unit is `-short`, others are files with a build tag or a name that says so",
  language: "go",
  buildSystem: "go",
  detectedBy: "`go.mod`",
  takesCommands: true,
  needs: () => ["go"],
  async detect({ folder, request: { command } }) {
    if (command !== undefined && !/^go test\b/.test(command.trim())) return undefined;
    return await folder.exists("go.mod") ? { confidence: 90, reason: "go.mod" } : undefined;
  },
  async plan(project) {
    const { request: { level, test, command, tracePatterns = [], watches = [] } } = project;
    const given = command?.trim().split(/\s+/).slice(2).filter((word) =>
      /^-{1,2}(?:tags|race|mod|short)\b/.test(word)
    ) ??
      [];
    const picked = level === undefined
      ? { tags: [], options: [], packages: ["./..."] }
      : await ofLevel(project, level);
    const only = test === undefined
      ? picked.options
      : [...picked.options.slice(0, -2), "-run", patternOf(test)];
    const isTraced = tracePatterns.length > 0 || watches.length > 0;
    const debuggable = isTraced ? await debuggableOptions(project) : [];
    const options = [...given, ...debuggable, ...picked.tags, ...only, ...picked.packages];
    builtWith.set(project, [...given, ...picked.tags]);
    const tags = [...given, ...picked.tags].filter((option) => /^-{1,2}tags=/.test(option)).join(" ");
    return {
      files: {},
      preparation: [{ argv: ["sh", "-c", compile, "sh", ...options] }],
      runs: [{ argv: ["sh", "-c", run, "sh", ...options], env: { PTH_GO_TAGS: tags }, startsPrograms: true }],
    };
  },
  reader: ({ root }) => createGoReader(root),
  rerun({ name, suite = "./..." }, project) {
    const options = builtWith.get(project) ?? [];
    return { argv: ["go", "test", "-count=1", "-v", ...options, "-run", patternOf(name), suite] };
  },
  suggestTraces({ name, suite = "", message = "", stack = [] }) {
    const frames = stack.map(functionOf).filter((found) => !found.endsWith(`.${name.split("/")[0]}`));
    const calls = [...message.slice(0, 20_000).matchAll(/(?<![\w.])([A-Za-z_]\w*)\(/g)]
      .map((found) => `${suite}.${found[1]}`);
    return [...new Set([...frames, ...calls, `${suite}.*`])].slice(0, 8);
  },
  runnerThreads: "go",
  async withoutTests({ folder }) {
    return {
      language: "go",
      buildSystem: "go",
      testFiles: await countFiles(folder, /_test\.go$/),
      hint:
        "No tests found. For a first test write next to the package's files, in a file that ends with _test.go: " +
        'func TestAdds(t *testing.T) { if got := Add(1, 1); got != 2 { t.Errorf("Add(1, 1) = %d", got) } }',
    };
  },
});

/** Name of a frame's function as the tracer names it: without its place, type parameters and closures in it. */
const functionOf = (frame: string): string =>
  frame.replace(/ \(\S+\)$/, "")
    .replace(/ in goroutine \d+$/, "")
    .replaceAll("[...]", "")
    .replaceAll("%2e", ".")
    .replace(/\.(?:func|gowrap|deferwrap)\d+(?:\.\d+)*$/, "");

/** Options for functions that are not inlined and have their arguments in memory; tests have no debug information else. */
async function debuggableOptions({ folder }: TestProject): Promise<string[]> {
  const module = /^module\s+"?([^\s"]+)/m.exec(await folder.read("go.mod") ?? "")?.[1];
  const packages = module === undefined ? "" : `${module}/...=`;
  return [`-gcflags=${packages}-N -l`, "-ldflags=-s=false -w=false", "-vet=off"];
}

/** Pattern of a test, and of its subtests level by level. */
const patternOf = (name: string): string =>
  name.split("/").map((part) => `^${escapePattern(part)}$`).join("/");

/** Options of a level; the last two are those that choose by name, where there are any. */
async function ofLevel(project: TestProject, level: TestLevel) {
  if (level === "unit") return { tags: [], options: ["-short", "-run", "."], packages: ["./..."] };
  const files = await findFiles(project.folder, /_test\.go$/);
  const tags = new Set<string>();
  const tests = new Set<string>();
  const packages = new Set<string>();
  for (const file of files.slice(0, mostFilesRead)) {
    const text = await project.folder.read(file) ?? "";
    const tag = /^\/\/(?:go:build| \+build) (\w+)\s*$/m.exec(text)?.[1];
    const isTagged = tag !== undefined && levelOf(`${tag}/`) === level;
    if (!isTagged && levelOf(file.replace(/_test\.go$/, ".go")) !== level) continue;
    if (tag !== undefined) tags.add(tag);
    packages.add(`./${file.slice(0, Math.max(file.lastIndexOf("/"), 0))}`);
    for (const [, name] of text.matchAll(/^func ((?:Test|Example|Fuzz)\w*)\(/gm)) tests.add(name!);
  }
  if (tests.size === 0) throw noSuchLevel(level, files.length);
  return {
    tags: tags.size === 0 ? [] : [`-tags=${[...tags].join(",")}`],
    options: ["-run", `^(?:${[...tests].join("|")})$`],
    packages: [...packages],
  };
}
