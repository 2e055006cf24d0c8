/** `resources/read`: one resource by its URI. No URI leads to a file of the client's choice. */
// @ts-types="@modelcontextprotocol/sdk/types"
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { ReadResourceResult } from "@modelcontextprotocol/sdk/types";
import { errorMessage } from "../../core/errors.ts";
import type { Harness, Session } from "../../api/harness.ts";
import { log } from "../../platform/log.ts";
import { visibleName, visibleText } from "../../core/text.ts";
import type { LazyHarness } from "../lazy_harness.ts";
import type { WatchAddresses } from "../watch_addresses.ts";
import { isDocPage, readDocPage } from "./doc_pages.ts";
import { recordingTail } from "./recording_tail.ts";
import { recordingUri, reportUri, watchUri } from "./resource_list.ts";
import { fencedText } from "../../export/markdown_table.ts";
import { serializeTests } from "../../testing/format/serialize_tests.ts";
import { resultText } from "../../tools/text/results_text.ts";

export interface ReadParts {
  door: Pick<LazyHarness, "active" | "open">;
  watching: Pick<WatchAddresses, "next">;
  recordFile?: string | undefined;
}

/** The protocol's error code for a resource that does not exist. */
const notFound = -32002;

interface Content {
  mimeType: string;
  text: string;
}

/** @throws {McpError} for what is not there, or cannot be read now */
export async function readResource(uri: string, parts: ReadParts): Promise<ReadResourceResult> {
  try {
    const content = await read(uri, parts);
    if (content !== undefined) return { contents: [{ uri, ...content, text: visibleText(content.text) }] };
  } catch (error) {
    log.info("resource could not be read", { uri, error });
    if (error instanceof McpError) throw error;
    throw new McpError(
      ErrorCode.InternalError,
      visibleText(`Cannot read ${visibleName(uri)}: ${errorMessage(error)}`),
    );
  }
  throw missing(uri, "no such resource; see resources/list");
}

async function read(uri: string, { door, watching, recordFile }: ReadParts): Promise<Content | undefined> {
  const [, kind, rest] = /^pth:\/\/(docs|session\/tests)\/([^/]+)$/.exec(uri) ?? [];
  if (kind === "docs") return isDocPage(rest!) ? markdown(await readDocPage(rest)) : undefined;
  if (uri === recordingUri && recordFile !== undefined) {
    return { mimeType: "application/jsonl", text: await recordingTail(recordFile) };
  }
  const harness = async (): Promise<Harness> => {
    if (door.active) return await door.open();
    throw missing(uri, "no session is active; pth_start_session({ pluginPath }) starts one");
  };
  if (uri === reportUri) return markdown(await (await harness()).session().export.report());
  if (uri === watchUri) {
    const address = await watching.next(await harness());
    if (address === undefined) {
      throw missing(uri, "this session cannot be watched (PTH_VIZ=0, or see the log)");
    }
    return { mimeType: "text/plain", text: `${address}\n` };
  }
  if (kind === "session/tests") {
    const page = testPage((await harness()).session(), decoded(rest!));
    return page === undefined ? undefined : markdown(page);
  }
  return undefined;
}

const markdown = (text: string): Content => ({ mimeType: "text/markdown", text });

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not percent-encoded: taken as it is.
    return part;
  }
}

const missing = (uri: string, state: string): McpError =>
  new McpError(notFound, `Cannot read ${visibleName(uri)}: ${state}`, { uri: visibleName(uri, 500) });

type Asked = Pick<Session, "tests">;

/** Undefined where there is no test of this id or name. */
function testPage(session: Asked, wanted: string): string | undefined {
  const tests = session.tests.list();
  const test = tests.find(({ id }) => id === wanted) ?? tests.find(({ name }) => name === wanted);
  if (test === undefined) return undefined;
  const { results: [result] } = session.tests.results({ ids: [test.id] });
  return [
    `# ${test.id}`,
    fencedText(serializeTests([test]).trimEnd()),
    "## Latest result",
    result === undefined ? "It has not run." : fencedText(resultText(result)),
  ].join("\n\n");
}
