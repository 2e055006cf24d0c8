/** Rooms import what the table allows, which has no cycle; nor have the files, but for honest recursion. */
import type { Tree } from "./check.ts";
import { defineCheck } from "./check.ts";
import { findImports } from "./imports.ts";
import { rooms } from "./room_table.ts";
import type { Room } from "./rooms/room.ts";

interface Edge {
  from: string;
  to: string;
  typeOnly: boolean;
}

/** Files that call each other in turns, because what they handle is nested in itself. */
const recursions: string[][] = [
  [
    "src/contract/compare_alternatives.ts",
    "src/contract/compare_objects.ts",
    "src/contract/compare_schemas.ts",
  ],
];

export default defineCheck({
  name: "rooms import what the room table allows",
  async run(tree) {
    const edges = await readEdges(tree);
    return [...disorder(rooms), ...findTrespasses(edges, tree.paths), ...findCycles(edges)];
  },
});

/** The innermost room that a file is in. */
export const roomOf = (path: string): Room | undefined =>
  /^src\/[^/]+$/.test(path) ? rooms.at(-1) : rooms
    .filter(({ folder }) => path.startsWith(`${folder}/`))
    .toSorted((a, b) => b.folder.length - a.folder.length)[0];

async function readEdges(tree: Tree): Promise<Edge[]> {
  const edges: Edge[] = [];
  for (const path of tree.paths.filter((path) => /^(src|machines)\/.*\.tsx?$/.test(path))) {
    for (const found of findImports(path, await tree.read(path))) {
      if (found.path === undefined || !/^(src|machines)\//.test(found.path)) continue;
      edges.push({ from: path, to: found.path, typeOnly: found.typeOnly });
    }
  }
  return edges;
}

/** A room that names one below it in the table could close a cycle. */
export function disorder(table: readonly Room[]): string[] {
  const place = new Map(table.map(({ folder }, index) => [folder, index]));
  return table.flatMap((room, index) =>
    [...room.imports, ...room.types ?? []]
      .filter((name) => (place.get(name) ?? Infinity) >= index)
      .map((name) => `scripts/checks/rooms: ${room.folder} names ${name}, which stands after it`)
  );
}

function findTrespasses(edges: Edge[], paths: readonly string[]): string[] {
  const problems = paths
    .filter((path) => /^(src|machines)\/.*\.tsx?$/.test(path) && roomOf(path) === undefined)
    .map((path) => `${path}: is in no room; add its folder to scripts/checks/rooms`);
  const unused = new Set(
    rooms.flatMap(({ folder, imports, types = [] }) => [...imports, ...types].map((to) => `${folder} ${to}`)),
  );
  for (const { from, to, typeOnly } of edges) {
    const [room, other] = [roomOf(from), roomOf(to)];
    if (room === undefined || other === undefined || room === other) continue;
    unused.delete(`${room.folder} ${other.folder}`);
    if (room.imports.includes(other.folder) || typeOnly && room.types?.includes(other.folder)) continue;
    problems.push(
      `${from}: imports ${to}, and ${room.folder} may not import ${
        typeOnly ? "" : "values of "
      }${other.folder}; ` +
        "move what both need below them, or see scripts/checks/rooms",
    );
  }
  // Without sources (as in tests of this check) every permission would be unused.
  if (edges.length < 1000) return problems;
  return [
    ...problems,
    ...[...unused].map((pair) => `scripts/checks/rooms: nothing needs ${pair.replace(" ", " → ")}`),
  ];
}

/** Strongly connected files, by Tarjan's algorithm. */
function findCycles(edges: Edge[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...next.get(from) ?? [], to]);
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const problems: string[] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const other of next.get(file) ?? []) {
      if (!index.has(other)) visit(other);
      if (stack.includes(other)) low.set(file, Math.min(low.get(file)!, low.get(other)!));
    }
    if (low.get(file) !== index.get(file)) return;
    const cycle = stack.splice(stack.indexOf(file)).sort();
    if (cycle.length === 1 || recursions.some((allowed) => cycle.every((each) => allowed.includes(each)))) {
      return;
    }
    problems.push(`${cycle.join(", ")}: import each other; move what they share into a file below them`);
  };
  for (const file of next.keys()) if (!index.has(file)) visit(file);
  return problems;
}
