/** `completion/complete`: what an argument of a prompt, or the variable of a resource's address, may be. */
// @ts-types="@modelcontextprotocol/sdk/types"
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { CompleteRequest, CompleteResult } from "@modelcontextprotocol/sdk/types";
import { PthError } from "../core/errors.ts";
import type { Session as SessionCommands } from "../api/harness.ts";
import { visibleName } from "../core/text.ts";
import type { LazyHarness } from "./lazy_harness.ts";
import { isPrompt, promptArguments } from "./prompts/prompts.ts";
import { docPages } from "./resources/doc_pages.ts";
import { docsTemplate, testsTemplate } from "./resources/resource_list.ts";

type Session = Pick<SessionCommands, "tests" | "plugin">;
type Door = Pick<LazyHarness, "active" | "open">;

/** The protocol's own limit. */
const mostValues = 100;

/** @throws {McpError} for a reference or an argument that there is not */
export async function completeArgument(
  { ref, argument }: CompleteRequest["params"],
  door: Door,
): Promise<CompleteResult> {
  const session = door.active ? (await door.open()).session() : undefined;
  const values = fitting(candidates(ref, argument.name, session), argument.value);
  return {
    completion: {
      values: values.slice(0, mostValues),
      total: values.length,
      hasMore: values.length > mostValues,
    },
  };
}

function candidates(
  ref: CompleteRequest["params"]["ref"],
  name: string,
  session: Session | undefined,
): readonly string[] {
  if (ref.type === "ref/resource") {
    if (ref.uri === docsTemplate && name === "page") return docPages;
    if (ref.uri === testsTemplate && name === "test") return session?.tests.list().map(({ id }) => id) ?? [];
    throw unknown(`the resource ${visibleName(ref.uri)}`, name);
  }
  if (!isPrompt(ref.name) || !promptArguments(ref.name).includes(name)) {
    throw unknown(`the prompt ${visibleName(ref.name)}`, name);
  }
  if (session === undefined) return [];
  if (name === "tool") return toolNames(session);
  return name === "test" ? session.tests.results({ status: "failed" }).results.map(({ id }) => id) : [];
}

/** Names that read as they are: one with hidden signs is nothing to be picked. None before the plugin is loaded. */
function toolNames(session: Session): string[] {
  try {
    return session.plugin.tools().map(({ name }) => name).filter((name) => visibleName(name) === name);
  } catch (error) {
    if (error instanceof PthError && error.code === "NOT_NOW") return [];
    throw error;
  }
}

/** Values that begin with the typed text, then those that hold it. */
function fitting(values: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase();
  const fits = values.filter((value) => value.toLowerCase().includes(wanted));
  const begins = (value: string) => value.toLowerCase().startsWith(wanted);
  return [...fits.filter(begins), ...fits.filter((value) => !begins(value))];
}

const unknown = (what: string, argument: string): McpError =>
  new McpError(ErrorCode.InvalidParams, `Cannot complete: ${what} has no argument ${visibleName(argument)}`);
