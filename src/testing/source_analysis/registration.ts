/** Describes how a plugin's source registers a tool, and what answers its calls. */
import type { SyntaxNode } from "./syntax.ts";

export interface Registration {
  tool: string;
  /** Line at which the tool is named. */
  line: number;
  /** Syntax of the handler: a function, or a branch of one that answers all tools. */
  body?: SyntaxNode;
  /** Name of the function that answers, where it stands elsewhere. */
  reference?: string;
  /** Given to another function first, which may change what it does. */
  wrapped?: true;
}

/** Keys under which tables hold the function that answers. */
export const handlerKeys: ReadonlySet<string> = new Set(
  "handler execute run call callback cb invoke func fn function handle impl".split(" "),
);

export interface RegistrationRequest {
  root: SyntaxNode;
  /** Names that `tools/list` gave; undefined where the server was not asked. */
  tools: ReadonlySet<string> | undefined;
}

export type FindRegistrations = (request: RegistrationRequest) => Registration[];
