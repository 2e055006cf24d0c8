/** Prompts: tasks that a person picks in a host, for a model that knows nothing of PTH yet. */
import type { Prompt, PromptArgument } from "@modelcontextprotocol/sdk/types";

type PromptName = "test_plugin" | "fix_plugin" | "write_tests";
export type Given = Readonly<Record<string, string>>;

interface Definition {
  title: string;
  description: string;
  arguments: PromptArgument[];
  /** @param active a session goes on */
  text(given: Given, active: boolean): string;
}

const plugin: PromptArgument = {
  name: "plugin",
  description: "Folder (absolute path) or npm:<package>[@version]; not needed while a session is open.",
};

const argument = (name: string, description: string): PromptArgument => ({ name, description });

const definitions: Record<PromptName, Definition> = {
  test_plugin: {
    title: "Test a plugin",
    description:
      "Test a Claude Code plugin or MCP server in an isolated environment and say what fails and why.",
    arguments: [plugin, argument("focus", "What matters most.")],
    text: ({ focus, ...given }, active) =>
      `Test ${subject(given, active)} with the Plugin Test Harness.

${
        begin(given, active)
      } Then pth_generate_tests({}), pth_run_test_suite({}) and, where something failed, pth_diagnose_failure({}).
${focus ? `What matters most: ${focus}\n` : ""}
Report the root causes with their places in the source, the tools for which no valid call passed, and what was skipped and why.
Change nothing in the plugin, and leave the session open: pth_end_session({}) ends it.`,
  },
  fix_plugin: {
    title: "Fix a plugin",
    description: "Fix what fails, one commit per fix on a session branch, until no test fails.",
    arguments: [plugin, argument("test", "Id of the test to fix; absent: everything that fails.")],
    text: ({ test, ...given }, active) =>
      `Fix ${subject(given, active)} with the Plugin Test Harness.

${
        begin(given, active)
      } Then go round the loop: pth_run_iteration({}) answers root causes with their places; read the source in the
session's worktree; give one fix for each cause by pth_run_iteration({ fixes }), which commits, reloads and tests again.
${test ? `Fix what makes the test ${test} fail, and nothing else.\n` : ""}
Files are changed by fixes alone: what you edit in the worktree yourself is lost. Mend causes, not tests. Stop when no test fails,
or after three iterations without progress. Then report the branch, each fix in a line, and what still fails. The resource
pth://docs/loop tells more.`,
  },
  write_tests: {
    title: "Write tests",
    description: "Write tests for a tool of the plugin, and see that they can fail.",
    arguments: [
      plugin,
      argument("tool", "Tool of the plugin; absent: those that no test covers well."),
    ],
    text: ({ tool, ...given }, active) =>
      `Write tests for ${tool ? `the tool ${tool} of ` : ""}${
        subject(given, active)
      } with the Plugin Test Harness.

${
        begin(given, active)
      } Read the schema with pth_list_plugin_tools, call the tool with pth_call_plugin_tool, and decide whether what
it answers is right. Then pth_create_test({ yaml }) and pth_run_test({ id }), a valid call with its result and each refusal that
the description promises. The format is in the resource pth://docs/test-format, tests of several steps in pth://docs/scenarios.

End with pth_end_session({ report: true }), which commits the tests.`,
  },
};

const subject = ({ plugin }: Given, active: boolean): string =>
  plugin || (active ? "the plugin of the open session" : "the plugin in the current folder");

const begin = ({ plugin }: Given, active: boolean): string =>
  active
    ? "A session is open: continue with it; call pth_provision_environment({}) and pth_load_plugin({}) if still needed."
    : `Begin with pth_start_session({ pluginPath: ${
      plugin ? JSON.stringify(plugin) : "<absolute path>"
    } }), pth_provision_environment({}), pth_load_plugin({}).`;

export const isPrompt = (name: string): name is PromptName => Object.hasOwn(definitions, name);

export const promptNames = Object.keys(definitions) as PromptName[];

/** Prompts that `prompts/list` answers. */
export const prompts = (): Prompt[] =>
  promptNames.map((name) => {
    const { text: _, ...shown } = definitions[name];
    return { name, ...shown };
  });

export const promptArguments = (name: PromptName): string[] =>
  definitions[name].arguments.map(({ name }) => name);

export const promptTitle = (name: PromptName): string => definitions[name].description;

export const promptText = (name: PromptName, given: Given, active: boolean): string =>
  definitions[name].text(given, active);
