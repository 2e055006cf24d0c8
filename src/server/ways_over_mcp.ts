/** Ways out of a failure as a model can go them: what errors name for the command line is turned into calls. */

/** Commands and options, and what stands for them here. */
const words: readonly [RegExp, string][] = [
  [/--command "<command>"/g, 'pth_load_plugin({ command: ["<program>", "<argument>"] })'],
  [/ --command "([^ "]+) ([^ "]+)"/g, ', command: ["$1", "$2"]'],
  [/ --command "([^ "]+)"/g, ', command: ["$1"]'],
  [/--build "<command>"/g, 'pth_load_plugin({ build: "<command>" })'],
  [/--install "<command>"/g, 'pth_load_plugin({ install: "<command>" })'],
  [/--env (\w+) or (?:--env )?(\w+)/g, 'runtime: "$1" or "$2"'],
  [/--env (\w+)/g, 'runtime: "$1"'],
  [/--network (\w+), network: \w+/g, 'network: "$1"'],
  [/--var (\w+)=(\S+)/g, "pth_load_plugin({ configValues: { $1: $2 } })"],
  [/\(--image\)/g, "(baseImage)"],
  [/ \(--force\)/g, ""],
  [/--fixer-timeout SECONDS \((\w+)\)/g, "$1"],
  [/npm:<package>\[@version\], or --command/g, "npm:<package>[@version], or give command"],
  [/(running|runs) already: --url/g, "$1 already: url"],
  [/pth images build ([\w.-]+)$/g, 'pth_rebuild_base_images({ names: ["$1"] })'],
  [/pth images list$/g, "pth_preflight({})"],
  [/pth preflight$/g, "pth_preflight({})"],
  [/^Over MCP: /, ""],
];

/** What is left of options, and of commands that there is no call for. */
const isForTerminals = /^On the command line|(?:^|[\s(])--[a-z]|\bpth (?:record|perf|viz|contract)\b/;
/** Scripts that the person runs, with their options. */
const isForPerson = /\bsetup-host\b/;

/** The ways without those that only PTH's own command line has. */
export const waysOverMcp = (ways: readonly string[]): string[] =>
  ways.map((way) => words.reduce((text, [pattern, here]) => text.replace(pattern, here), way))
    .filter((way) => isForPerson.test(way) || !isForTerminals.test(way));
