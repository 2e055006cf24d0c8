/** A structured answer of PTH, as tests look into it. */
import type { Client } from "@modelcontextprotocol/sdk/client";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types";

export interface Answer {
  text: string;
  /** Facts; those of a failed call in `error`. */
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

/** Has the client refuse answers that do not fit their tools' schemas, from the start of a session on. */
export async function learnSchemas(client: Client, name: string): Promise<void> {
  if (beginnings.has(name)) await client.listTools();
}
