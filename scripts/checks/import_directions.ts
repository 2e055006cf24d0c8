/** Imports run one way: tools → harness; app → actors → adapters → platform; app → machines. */
import { defineCheck } from "./check.ts";
import { findImports } from "./imports.ts";

interface Layer {
  name: string;
  holds: RegExp;
  mayNotImport: RegExp;
  why: string;
  /** Type imports are erased, and allowed to this layer. */
  typesAllowed?: boolean;
}

const layers: Layer[] = [
  {
    name: "the platform",
    holds: /^src\/platform\//,
    mayNotImport: /^(?!src\/platform\/|src\/errors\.ts$)/,
    why: "it knows the host and nothing of PTH",
  },
  {
    name: "an adapter",
    holds:
      /^src\/(runtimes|client|plugin|testing|contract|performance|replay|session|diagnosis|fixes|handover|recovery|observability)\//,
    mayNotImport: /^(machines\/\w+_machine\.ts|src\/(actors|app|server|tools|cli)\/|src\/(app|cli|main)\.ts)/,
    why: "adapters act and answer; only actors speak in events",
  },
  {
    name: "an actor",
    holds: /^src\/actors\//,
    mayNotImport: /^src\/((app|server|tools|cli)\/|(app|cli|main)\.ts)/,
    why: "actors call adapters and know nothing of who asked",
  },
  {
    name: "the app",
    holds: /^src\/app(\/|\.ts$)/,
    mayNotImport: /^src\/((server|tools|cli)\/|(cli|main)\.ts)/,
    why: "it composes machines, actors and adapters, and knows nothing of its faces",
  },
  {
    name: "the visualizer",
    holds: /^src\/visualizer\/(?!page\/)/,
    mayNotImport: /^src\/((actors|app|server|tools|cli)\/|visualizer\/page\/|(app|cli|main)\.ts)/,
    why: "it looks at machines and what was recorded of them, and knows nothing of who asked",
  },
  {
    name: "the page",
    holds: /^src\/visualizer\/page\//,
    mayNotImport: /^(?!src\/visualizer\/page\/)/,
    why: "it runs in a browser: what it shares with its server are types",
    typesAllowed: true,
  },
  {
    name: "a tool",
    holds: /^src\/tools\//,
    mayNotImport:
      /^(machines\/\w+_machine\.ts|src\/(runtimes|client|actors|app|server|cli)\/|src\/(app|cli|main)\.ts)/,
    why: "tools ask the harness (src/api/harness.ts)",
    typesAllowed: true,
  },
  {
    name: "the server",
    holds: /^src\/server\//,
    mayNotImport: /^(machines\/\w+_machine\.ts|src\/(runtimes|client|actors|app|cli)\/|src\/(cli|main)\.ts)/,
    why: "the MCP face follows the harness (src/api/harness.ts)",
    typesAllowed: true,
  },
];

export default defineCheck({
  name: "imports run one way",
  async run(tree) {
    const problems: string[] = [];
    for (const path of tree.paths.filter((path) => /^src\/.*\.tsx?$/.test(path))) {
      const layer = layers.find(({ holds }) => holds.test(path));
      if (layer !== undefined) problems.push(...findBackwards(layer, path, await tree.read(path)));
    }
    return problems;
  },
});

function findBackwards(layer: Layer, path: string, text: string): string[] {
  return findImports(path, text)
    .filter((found) => found.path !== undefined && layer.mayNotImport.test(found.path))
    .filter((found) => !(layer.typesAllowed && found.typeOnly))
    .map((found) => `${path}: ${layer.name} imports ${found.path}: ${layer.why}`);
}
