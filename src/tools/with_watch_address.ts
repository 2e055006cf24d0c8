/** Tells where a person can watch what a tool began. */
import type { ToolAnswer } from "./tool.ts";

/** The answer with the address, where there is one. */
export const withWatchAddress = <Data extends object>(
  { text, data }: ToolAnswer<Data>,
  address: string | undefined,
): ToolAnswer<Data & { watch?: string }> =>
  address === undefined ? { text, data } : {
    text: `${text.trimEnd()}\nWatch it: ${address} (for a person: a page on this machine, which opens once)`,
    data: { ...data, watch: address },
  };
