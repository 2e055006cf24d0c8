/** Texts that the command line shares, as a model can use them: commands and options are turned into calls and arguments. */

const words: readonly [RegExp, string][] = [
  [/; --env(?: or --env-tier)? overrides this/g, ""],
  [/, or --env-tier \d/g, ""],
  [/--env-tier (\d), tier: \d/g, "tier: $1"],
  [/--command "<command>"/g, 'pth_load_plugin({ command: ["<program>", "<argument>"] })'],
  [/ --command "([^ "]+) ([^ "]+)"/g, ', command: ["$1", "$2"]'],
  [/ --command "([^ "]+)"/g, ', command: ["$1"]'],
  [/--build "([^"]*)"/g, 'pth_load_plugin({ build: "$1" })'],
  [/--install "([^"]*)"/g, 'pth_load_plugin({ install: "$1" })'],
  [/--env (\w+) or (?:--env )?(\w+)/g, 'runtime: "$1" or "$2"'],
  [/--env (\w+)/g, 'runtime: "$1"'],
  [/--network (\w+), network: \w+/g, 'network: "$1"'],
  [/--secret \w+, --var (\w+)=…/g, 'variables: { $1: "…" } at the start of a session'],
  [/--var (\w+)=(\S+)/g, "pth_load_plugin({ configValues: { $1: $2 } })"],
  [/\(--image\)/g, "(baseImage)"],
  [/\(--network\)/g, "(network)"],
  [/ \(--force\)/g, ""],
  [/--fixer-timeout SECONDS \((\w+)\)/g, "$1"],
  [/npm:<package>\[@version\], or --command/g, "npm:<package>[@version], or give command"],
  [/(running|runs) already: --url/g, "$1 already: url"],
  [/pth images build ([\w.-]+)$/g, 'pth_rebuild_base_images({ names: ["$1"] })'],
  [/pth images list$/g, "pth_preflight({})"],
  [/pth preflight$/g, "pth_preflight({})"],
  [/, or pth run --coverage$/g, ""],
  [/^Over MCP: /, ""],
];

export const overMcp = (text: string): string =>
  words.reduce((told, [pattern, here]) => told.replace(pattern, here), text);

/** The table of recovery names the call in their place. */
const isToldOtherwise = /^On the command line|^Give another command: --/;
/** What is left of options, and of commands that there is no call for. */
const isForTerminals = /(?:^|[\s(])--[a-z]|\bpth (?:record|perf|viz|contract)\b/;
/** Scripts that the person runs, with their options. */
const isForPerson = /\bsetup-host\b/;
/** Commands in arguments have options of their own. */
const quoted = /"[^"]*"/g;

/** Ways out of a failure, without those that only PTH's own command line has. */
export const waysOverMcp = (ways: readonly string[]): string[] =>
  ways.filter((way) => !isToldOtherwise.test(way)).map(overMcp)
    .filter((way) => isForPerson.test(way) || !isForTerminals.test(way.replace(quoted, "")));
