/** Shell commands that repeat a test in an empty folder. */
import { posix } from "node:path";
import type { AgentTest } from "../../../machines/model/agent_fixture.ts";
import type { Playbook, PlaybookText } from "../../../machines/model/playbook.ts";
import type { EmbeddedFile, EmbeddedFolder, EmbeddedTest } from "./embedded_files.ts";
import type { TestReport } from "./report_schema.ts";

type Reproduce = Omit<TestReport["reproduce"], "git_state">;

/** Environment that the test ran in, as of `--env`, `--image` and `--network`. */
export interface PlaceOfTest {
  runtime: string;
  image?: string;
  network?: string;
}

/** A word that a POSIX shell reads as itself. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** @param version Of the agent that ran */
export function reproduceCommands(
  test: AgentTest,
  embedded: EmbeddedTest,
  place: PlaceOfTest | undefined,
  version?: string,
): Reproduce {
  const { playbook, start } = test;
  const ran = `It ran with ${[test.agent, version].filter(Boolean).join(" ")}.`;
  const common = {
    setup_commands: [
      ...folderCommands("plugin", embedded.plugin),
      ...folderCommands("project", embedded.project),
      ...gitCommands(start.git),
      ...start.commands.map((command) => `( cd project\n${command}\n)`),
      ...(playbook === undefined ? [] : [fileCommand(playbookFile(playbook))]),
    ],
    cleanup_commands: ["rm -rf plugin project playbook.json home"],
  };
  const notes = [
    ...folderNotes("plugin", embedded.plugin),
    ...folderNotes("project", embedded.project),
    ...promptNotes(test),
    ran,
  ];
  if (playbook !== undefined) {
    return {
      ...common,
      test_command: playedCommand(test, place),
      environment: {},
      notes: [`It takes pth and ${test.agent}, and no network.`, ...notes, ...notRepeated(test)],
    };
  }
  if (test.agent !== "claude") {
    return {
      ...common,
      test_command: recordedCommand(test, place),
      environment: { UPSTREAM: "(required: address of the model API)", UPSTREAM_KEY: "(required: its key)" },
      notes: [
        `It takes pth and ${test.agent}, and costs what the model costs.`,
        ...notes,
        ...notRepeated(test),
      ],
    };
  }
  return {
    ...common,
    setup_commands: ["mkdir -p home", ...common.setup_commands],
    test_command: claudeCommand(test),
    environment: { ANTHROPIC_API_KEY: "(required)" },
    notes: ["It takes Claude Code, and costs what the model costs.", ...notes],
  };
}

function placeWords({ runtime, image, network }: PlaceOfTest = { runtime: "" }): string[] {
  return [
    ...(runtime === "" ? [] : ["--env", runtime]),
    ...(image === undefined ? [] : ["--image", image]),
    ...(network === undefined ? [] : ["--network", network]),
  ];
}

const commonWords = ({ agent, timeoutMs, model }: AgentTest, place: PlaceOfTest | undefined): string[] => [
  ...[
    "--agent",
    agent,
    "--project",
    "project",
    "--timeout",
    String(Math.max(1, Math.ceil(timeoutMs / 1000))),
  ],
  ...(model === undefined ? [] : ["--model", model]),
  ...placeWords(place),
];

const lineOf = (words: readonly string[]): string => words.map(shellWord).join(" ");

/** A prompt cannot begin as an option does. */
const promptWord = (prompt: string): string => prompt.startsWith("-") ? ` ${prompt}` : prompt;

const playedCommand = (test: AgentTest, place: PlaceOfTest | undefined): string =>
  lineOf([
    ...["pth", "agent", "run", "plugin", promptWord(test.prompt), "--playbook", "playbook.json"],
    ...commonWords(test, place),
  ]);

const recordedCommand = (test: AgentTest, place: PlaceOfTest | undefined): string =>
  [
    lineOf(["pth", "agent", "record", "plugin", promptWord(test.prompt), ...commonWords(test, place)]),
    ...["--upstream", '"$UPSTREAM"', "--upstream-key", "UPSTREAM_KEY"],
  ].join(" ");

function claudeCommand({ prompt, model, tools, asksPermission }: AgentTest): string {
  const words = lineOf([
    ...["--setting-sources", "project", "--output-format", "stream-json", "--verbose"],
    ...(model === undefined ? [] : ["--model", model]),
    ...(tools === undefined ? [] : ["--tools", tools.join(",")]),
    ...(asksPermission ? [] : ["--dangerously-skip-permissions"]),
  ]);
  return `( cd project && HOME="$PWD/../home" claude -p ${
    shellWord(prompt)
  } --plugin-dir "$PWD/../plugin" ${words} )`;
}

/** Parts of the test that the command has no option for. */
const notRepeated = ({ tools, asksPermission }: AgentTest): string[] => [
  ...(tools === undefined
    ? []
    : [`The command gives the agent all its tools, not only ${tools.join(", ")}.`]),
  ...(asksPermission ? ["The command allows every tool; in the test the agent asked."] : []),
];

const promptNotes = ({ prompt }: AgentTest): string[] =>
  prompt.startsWith("-") ? ["A space stands before the prompt, which would be taken for an option."] : [];

function folderNotes(name: string, { copies, branch }: EmbeddedFolder): string[] {
  const places = [...copies.map(({ from }) => from), ...(branch === undefined ? [] : [branch.root])];
  return places.length === 0 ? [] : [
    `The ${name} takes what the report cannot carry from the machine that ran the test: ${
      places.join(", ")
    }.`,
  ];
}

/** Files that were embedded come after those that are copied: each may take the place of one before. */
function folderCommands(name: string, { files, archive, copies, branch }: EmbeddedFolder): string[] {
  const folders = [
    ...files.map(({ path }) => posix.dirname(posix.join(name, path))),
    ...copies.map(({ to, isFolder }) =>
      isFolder ? posix.join(name, to) : posix.dirname(posix.join(name, to))
    ),
  ].filter((folder) => folder !== name);
  return [
    lineOf(["mkdir", "-p", "--", name, ...new Set(folders)]),
    ...(archive === undefined ? [] : [heredoc(`base64 -d | tar -xzf - -C ${name}`, wrapped(archive))]),
    ...(branch === undefined
      ? []
      : [`${lineOf(["git", "-C", branch.root, "archive", branch.commit])} | tar -xf - -C ${name}`]),
    ...copies.map(({ from, to, isFolder }) =>
      lineOf(["cp", "-R", isFolder ? `${from}/.` : from, `./${posix.join(name, to)}`])
    ),
    ...files.map((file) => fileCommand({ ...file, path: posix.join(name, file.path) })),
  ];
}

function fileCommand(file: EmbeddedFile): string {
  const path = shellWord(`./${file.path}`);
  const write = "text" in file
    ? heredoc(`cat > ${path}`, file.text)
    : heredoc(`base64 -d > ${path}`, wrapped(file.base64));
  return file.executable ? `${write}\nchmod +x ${path}` : write;
}

const wrapped = (base64: string): string => base64.replaceAll(/.{1,100}/g, "$&\n");

/** A command that reads the text, which ends with a line feed, or is empty. */
function heredoc(command: string, text: string): string {
  const lines = new Set(text.split("\n"));
  let end = "END";
  for (let number = 1; lines.has(end); number++) end = `END_${number}`;
  const [first, ...rest] = command.split(" | ");
  return `${[`${first} <<'${end}'`, ...rest].join(" | ")}\n${text}${end}`;
}

/** A repository whose first commit holds all files, with the same id each time. */
const gitCommands = (wanted: boolean): string[] =>
  wanted
    ? [[
      "( cd project",
      "export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null",
      "export GIT_AUTHOR_DATE=2000-01-01T00:00:00Z GIT_COMMITTER_DATE=2000-01-01T00:00:00Z",
      "git init -q --template= -b main",
      "git config user.name pth",
      "git config user.email pth@localhost",
      "git add -A",
      "git commit -q --allow-empty -m Start )",
    ].join(" && ")]
    : [];

const playbookFile = (playbook: Playbook): EmbeddedFile => ({
  path: "playbook.json",
  executable: false,
  text: `${JSON.stringify(playbookText(playbook), undefined, 2)}\n`,
});

/** A playbook as its file holds it. */
function playbookText({ lanes, ...rest }: Playbook): PlaybookText {
  const main = lanes.find(isMain);
  return {
    ...rest,
    ...(main === undefined ? {} : { turns: main.turns }),
    ...(lanes.length === (main === undefined ? 0 : 1)
      ? {}
      : { lanes: lanes.filter((lane) => lane !== main) }),
  };
}

const isMain = ({ subagent, side, match }: Playbook["lanes"][number]): boolean =>
  subagent === undefined && side === undefined && match === undefined;
