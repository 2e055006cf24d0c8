/**
 * Has code that is loaded together lie in few files. esbuild makes a file of each set of entries that reach the same
 * modules: two hundred small ones for `pth run`, for each of which Node takes a third of a millisecond.
 */
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";

/** Entries whose code each run loads: before its first line, and while its server starts. */
const stages = [
  ["src/cli/commands/run.ts", "src/app/create_harness.ts"],
  [
    "src/runtimes/_registry.ts",
    "src/actors/connection/open_connection.ts",
    "src/actors/tests/suite_slots.ts",
    "src/app/tests/test_run_steps.ts",
    "src/app/tests/generate_command.ts",
    "src/testing/format/load.ts",
  ],
];

/** Bytes of source that take as long to load as one more file does. */
const fileCost = 16_000;
/** A run counts as much as so many other commands. */
const runWeight = 4;
const prefix = "pth-joined:";

/**
 * Makes options for esbuild by which each entry that needs modules of a group imports all of them, behind what it imports
 * itself: so they lie in one file, in an order that they can be evaluated in.
 * @param {string} root
 * @param {Record<string, string>} entries paths by the names of their outputs
 * @param {import("esbuild").Metafile} metafile of the same build without these options
 */
export function joinChunks(root, entries, metafile) {
  const { reached, groups } = groupsOf(metafile, Object.values(entries));
  const added = new Map();
  for (const [entry, modules] of reached) {
    const needed = groups.flatMap((group, index) => group.some((path) => modules.has(path)) ? [index] : []);
    if (isOwn(entry) && needed.length > 0) added.set(join(root, entry), needed);
  }
  const plugin = {
    name: "joined-chunks",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: new RegExp(`^${prefix}`) }, ({ path }) => ({ path, namespace: "joined" }));
      onLoad({ filter: /./, namespace: "joined" }, ({ path }) => ({
        contents: groups[Number(path.slice(prefix.length))].map((module) =>
          `import ${JSON.stringify(`./${module}`)};`
        ).join("\n"),
        resolveDir: root,
      }));
      onLoad({ filter: /\.tsx?$/, namespace: "file" }, async ({ path }) => {
        const needed = added.get(path);
        if (needed === undefined) return;
        const imports = needed.map((index) => `import "${prefix}${index}";`).join(" ");
        return { contents: `${await readFile(path, "utf8")}\n${imports}\n`, loader: extname(path).slice(1) };
      });
    },
  };
  // What an entry of their own reaches is a file of its own. Charts show guards as they are written, and esbuild renames
  // what has the name of something else in its file.
  const own = groups.flatMap((group, index) =>
    group.every(isMachine) ? [[`chunks/machines-${index}`, `${prefix}${index}`]] : []
  );
  const named = Object.entries(entries).map(([name, path]) => [name, join(root, path)]);
  return { entryPoints: Object.fromEntries([...named, ...own]), plugins: [plugin] };
}

const isMachine = (path) => path.startsWith("machines/");
const isOwn = (path) => /\.tsx?$/.test(path) && !path.includes("node_modules/");
const isStatic = ({ kind, external }) =>
  !external && (kind === "import-statement" || kind === "require-call");
const isLater = ({ kind, external }) => !external && kind === "dynamic-import";

/** Modules that each entry reaches without asking for more, and the groups of those that become a file each. */
function groupsOf({ inputs }, programs) {
  const targets = (path, wanted) => inputs[path].imports.filter(wanted).map((each) => each.path);
  const follow = (starts, wanted) => {
    const found = new Set(starts);
    for (const path of found) targets(path, wanted).forEach((each) => found.add(each));
    return found;
  };
  const entries = new Set([...programs, ...Object.keys(inputs).flatMap((path) => targets(path, isLater))]);
  const reached = new Map([...entries].map((entry) => [entry, follow([entry], isStatic)]));
  const starts = new Set(stages.flat());
  /** Entries that other commands than runs load. */
  const apart = [
    ...follow(programs, (each) => (isStatic(each) || isLater(each)) && !starts.has(each.path)),
  ].filter((path) => entries.has(path));
  const taken = new Set();
  const groups = stages.flatMap((stage) => {
    const bySigns = new Map();
    for (const path of follow(stage, isStatic)) {
      if (!isOwn(path) || taken.has(path)) continue;
      taken.add(path);
      if ([...reached.values()].filter((modules) => modules.has(path)).length < 2) continue;
      const needing = new Set(apart.filter((entry) => reached.get(entry).has(path)));
      const sign = [isMachine(path), ...needing].join();
      const group = bySigns.get(sign) ?? { paths: [], needing, bytes: 0 };
      group.paths.push(path);
      group.bytes += inputs[path].bytes;
      bySigns.set(sign, group);
    }
    const all = [...bySigns.values()];
    const machines = all.filter(({ paths }) => isMachine(paths[0]));
    return [machines, all.filter((group) => !machines.includes(group))].flatMap((some) =>
      merge(some, (path) => targets(path, isStatic))
    );
  });
  return { reached, groups };
}

/** Merges groups as long as files that are saved outweigh code that is loaded without need. */
function merge(groups, importsOf) {
  for (;;) {
    const best = { gain: 0 };
    for (const [index, one] of groups.entries()) {
      for (const other of groups.slice(index + 1)) {
        const both = [...one.needing].filter((entry) => other.needing.has(entry)).length;
        const wasted = one.bytes * (other.needing.size - both) + other.bytes * (one.needing.size - both);
        const gain = fileCost * (both + runWeight) - wasted;
        if (gain > best.gain && !circular(groups, one, other, importsOf)) {
          Object.assign(best, { gain, one, other });
        }
      }
    }
    if (best.one === undefined) return groups.map(({ paths }) => paths);
    const { one, other } = best;
    groups = groups.filter((group) => group !== one && group !== other);
    groups.push({
      paths: [...one.paths, ...other.paths],
      needing: new Set([...one.needing, ...other.needing]),
      bytes: one.bytes + other.bytes,
    });
  }
}

/** Whether one of two groups reaches the other by way of a third: as one file they would import each other. */
function circular(groups, one, other, importsOf) {
  const home = new Map(groups.flatMap((group) => group.paths.map((path) => [path, group])));
  const next = (group) =>
    new Set(group.paths.flatMap(importsOf).map((path) => home.get(path)).filter(Boolean));
  const reaches = (from, to) => {
    const found = new Set([...next(from)].filter((group) => group !== from && group !== to));
    for (const group of found) next(group).forEach((each) => found.add(each));
    return found.has(to) || found.has(from);
  };
  return reaches(one, other) || reaches(other, one);
}
