/** The parts of a plugin as agents are given them, which do not read plugins themselves. */

/** Kinds of parts, in the words of reports. */
export const pluginParts = ["servers", "commands", "skills", "subagents", "hooks"] as const;
export type PluginPart = (typeof pluginParts)[number];

export interface PluginParts {
  /** Name of the plugin. */
  name: string;
  servers: readonly PluginServer[];
  commands: readonly PluginText[];
  /** Folders of `skills/`. */
  skills: readonly string[];
  subagents: readonly PluginText[];
  hooks: boolean;
}

/** MCP server of the plugin, its references resolved for the environment. */
export interface PluginServer {
  name: string;
  /** Empty for one that is reached by its address. */
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string;
  url?: string;
  headers: Readonly<Record<string, string>>;
}

/** Markdown file whose text is for the model. */
export interface PluginText {
  name: string;
  description: string;
  /** Text without its front matter. */
  text: string;
}

export const noParts: PluginParts = {
  name: "",
  servers: [],
  commands: [],
  skills: [],
  subagents: [],
  hooks: false,
};

/** Says which parts of a plugin an agent is not given. */
export function missingParts(agent: string, loads: readonly PluginPart[], parts: PluginParts): string[] {
  return pluginParts.flatMap((part) => {
    const found = parts[part];
    const has = typeof found === "boolean" ? found : found.length > 0;
    return has && !loads.includes(part)
      ? [`the plugin's ${part} are not loaded: PTH cannot give them to ${agent}`]
      : [];
  });
}

/** Commands with more in them than their arguments as a whole, which agents read in ways of their own. */
export const oddCommands = (commands: readonly PluginText[]): string[] =>
  commands.filter(({ text }) => /!`|\$[1-9]|(?:^|\s)@\S/.test(text)).map(({ name }) =>
    `command ${name} runs commands, reads files or takes single arguments, which are not translated`
  );
