/** A structured answer of PTH, as tests look into it. */
import type { Client } from "@modelcontextprotocol/sdk/client";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types";

export interface Answer {
  text: string;
  /** Of a failed call: its facts in `error`. */
  data: Record<string, unknown>;
  isError: boolean;
}

export function answerOf({ content, structuredContent, isError, _meta }: CallToolResult): Answer {
  const text = content.map((part) => part.type === "text" ? part.text : "").join("\n");
  const error = _meta?.["pth/error"];
  const data = structuredContent ?? (error === undefined ? {} : { error });
  return { text, data, isError: isError === true };
}

const beginnings: ReadonlySet<string> = new Set(["pth_start_session", "pth_resume_session"]);

/** From the start of a session on, the client refuses answers that do not fit their tools' schemas. */
export async function learnSchemas(client: Client, name: string): Promise<void> {
  if (beginnings.has(name)) await client.listTools();
}
