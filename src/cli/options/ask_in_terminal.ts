/** Configuration that a plugin turns out to need is asked for where someone sits at a terminal. */
import type { RequestOptions } from "../../api/harness.ts";
import type { CommandContext } from "../command.ts";

/** Each value is typed unseen: what is no secret for one is for another. Nothing where nobody can be asked. */
export function askInTerminal(
  { askHidden }: Pick<CommandContext, "askHidden">,
): Pick<RequestOptions, "askConfig"> {
  if (askHidden === undefined) return {};
  return {
    askConfig: async ({ plugin, missing }) => {
      const values: Record<string, string> = {};
      for (const { name, description, source } of missing) {
        const value = await askHidden(`${plugin} needs ${name} (${description ?? source}; not shown): `);
        if (value === undefined) return { refused: "in the terminal, where no value was given" };
        values[name] = value;
      }
      return { values };
    },
  };
}
