/** Shell commands that repeat a test in an empty folder. */
import { posix } from "node:path";
import type { AgentTest } from "../../../machines/model/agent_fixture.ts";
import { fixtureFiles, reproducedTest } from "./fixture_files.ts";
import { shellWord } from "../../core/shell_word.ts";
import type { EmbeddedFile, EmbeddedFolder, EmbeddedTest } from "./embedded_files.ts";
import type { TestReport } from "./report_schema.ts";

type Reproduce = Omit<TestReport["reproduce"], "git_state">;

/** Environment that the test ran in, as of `--env`, `--image` and `--network`. */
export interface PlaceOfTest {
  runtime: string;
  /** Whether the plugin's server was installed, built and started first. */
  load?: boolean;
  image?: string;
  network?: string;
}

/** A test with what its commands need. */
export interface ReproducedTest {
  /** Name of the fixture. */
  fixture: string;
  test: AgentTest;
  embedded: EmbeddedTest;
  place?: PlaceOfTest | undefined;
  /** Version of the agent that ran. */
  version?: string | undefined;
}

export function reproduceCommands(reproduced: ReproducedTest): Reproduce {
  const { test, embedded, version } = reproduced;
  const ran = `It ran with ${[test.agent, version].filter(Boolean).join(" ")}.`;
  const notes = [...folderNotes("plugin", embedded.plugin), ...folderNotes("project", embedded.project), ran];
  const folders = [
    ...folderCommands("plugin", embedded.plugin),
    ...folderCommands("project", embedded.project),
  ];
  return test.playbook === undefined && test.agent === "claude"
    ? byClaude(test, folders, notes)
    : asFixture(reproduced, folders, notes);
}

/** The test again, as the only one of a fixture: with its project, tools, permissions, checks and expectations. */
function asFixture(
  { fixture, test, place }: ReproducedTest,
  folders: readonly string[],
  notes: readonly string[],
): Reproduce {
  const files = fixtureFiles(fixture, test);
  const isReal = test.playbook === undefined;
  const need = isReal ? ", and costs what the model costs" : ", and no network";
  return {
    setup_commands: [
      ...folders,
      ...Object.entries(files).map(([path, text]) => fileCommand({ path, text, executable: false })),
    ],
    test_command: [
      lineOf(["pth", "agent", "test", reproducedTest, ...placeWords(place)]),
      ...(isReal ? ["--upstream", '"$UPSTREAM"', "--upstream-key", "UPSTREAM_KEY"] : []),
    ].join(" "),
    cleanup_commands: [lineOf(["rm", "-rf", "plugin", "project", ...Object.keys(files)])],
    environment: isReal
      ? { UPSTREAM: "(required: address of the model API)", UPSTREAM_KEY: "(required: its key)" }
      : {},
    notes: [`It takes pth and ${test.agent}${need}.`, ...notes],
  };
}

function byClaude(test: AgentTest, folders: readonly string[], notes: readonly string[]): Reproduce {
  return {
    setup_commands: ["mkdir -p home", ...folders, ...projectCommands(test)],
    test_command: claudeCommand(test),
    cleanup_commands: ["rm -rf plugin project home"],
    environment: { ANTHROPIC_API_KEY: "(required)" },
    notes: ["It takes Claude Code, and costs what the model costs.", ...notes, ...promptNotes(test)],
  };
}

const projectCommands = ({ start }: AgentTest): string[] => [
  ...gitCommands(start.git),
  ...start.commands.map((command) => `( cd project\n${command}\n)`),
];

function placeWords({ runtime, image, network, load }: PlaceOfTest = { runtime: "" }): string[] {
  return [
    ...(runtime === "" ? [] : ["--env", runtime]),
    ...(image === undefined ? [] : ["--image", image]),
    ...(network === undefined ? [] : ["--network", network]),
    ...(load === true ? ["--load"] : []),
  ];
}

const lineOf = (words: readonly string[]): string => words.map(shellWord).join(" ");

/** A prompt cannot begin as an option does. */
const promptWord = (prompt: string): string => prompt.startsWith("-") ? ` ${prompt}` : prompt;

function claudeCommand({ prompt, model, tools, asksPermission }: AgentTest): string {
  const words = lineOf([
    ...["--setting-sources", "project", "--output-format", "stream-json", "--verbose"],
    ...(model === undefined ? [] : ["--model", model]),
    ...(tools === undefined ? [] : ["--tools", tools.join(",")]),
    ...(asksPermission ? [] : ["--dangerously-skip-permissions"]),
  ]);
  return `( cd project && HOME="$PWD/../home" claude -p ${
    shellWord(promptWord(prompt))
  } --plugin-dir "$PWD/../plugin" ${words} )`;
}

const promptNotes = ({ prompt }: AgentTest): string[] =>
  prompt.startsWith("-") ? ["A space stands before the prompt, which would be taken for an option."] : [];

function folderNotes(name: string, embedded: EmbeddedFolder): string[] {
  if ("reason" in embedded) return [`The ${name} could not be read: ${embedded.reason}.`];
  const { copies, branch } = embedded;
  const places = [...copies.map(({ from }) => from), ...(branch === undefined ? [] : [branch.root])];
  return places.length === 0 ? [] : [
    `The ${name} takes what the report cannot carry from the machine that ran the test: ${
      places.join(", ")
    }.`,
  ];
}

/** Files that were embedded come after those that are copied: each may take the place of one before. */
function folderCommands(name: string, embedded: EmbeddedFolder): string[] {
  if ("reason" in embedded) return [lineOf(["cp", "-R", embedded.folder, name])];
  const { files, archive, copies, branch } = embedded;
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
