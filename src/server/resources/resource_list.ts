/** Lists the resources of the moment: PTH's documents always, the rest of a session while it is active. */
import { Buffer } from "node:buffer";
import type { Resource, ResourceTemplate } from "@modelcontextprotocol/sdk/types";
import { fileIdentity } from "../../platform/ranged_file.ts";
import { definedOnly } from "../../core/values.ts";
import { docPages, readDocPage, titleOf } from "./doc_pages.ts";
import { recordingBytes } from "./recording_tail.ts";

export interface ListedState {
  /** A session is active. */
  active: boolean;
  /** File in which actors are recorded, if they are. */
  recordFile?: string | undefined;
}

const resourceScheme = "pth://";
export const reportUri = `${resourceScheme}session/report`;
export const watchUri = `${resourceScheme}session/watch`;
export const recordingUri = `${resourceScheme}session/recording`;
export const docsTemplate = `${resourceScheme}docs/{page}`;
export const testsTemplate = `${resourceScheme}session/tests/{test}`;

export async function resourceList({ active, recordFile }: ListedState): Promise<Resource[]> {
  const docs = docPages.map(async (page): Promise<Resource> => ({
    uri: `${resourceScheme}docs/${page}`,
    name: page,
    title: titleOf(page),
    mimeType: "text/markdown",
    size: Buffer.byteLength(await readDocPage(page)),
    annotations: { audience: ["assistant"], priority: 0.3 },
  }));
  return [...active ? ofSession : [], ...await recording(recordFile), ...await Promise.all(docs)];
}

const ofSession: Resource[] = [
  {
    uri: reportUri,
    name: "report",
    title: "Report of the session so far",
    description: "As pth_end_session commits it: results, failures, iterations, fixes, findings, timings.",
    mimeType: "text/markdown",
    annotations: { audience: ["user", "assistant"], priority: 0.9 },
  },
  {
    uri: watchUri,
    name: "watch",
    title: "Address of the session's visualizer, for a person",
    description:
      "A new address at each reading, of a page on this machine. It opens once: do not open it yourself.",
    mimeType: "text/plain",
    annotations: { audience: ["user"], priority: 0.5 },
  },
];

async function recording(file: string | undefined): Promise<Resource[]> {
  // It is begun with the first session.
  const found = file === undefined ? undefined : await fileIdentity(file);
  if (found === undefined) return [];
  return [{
    uri: recordingUri,
    name: "recording",
    title: "Latest events of all actors",
    description: `The end of the recording, as JSON lines: at most ${
      recordingBytes / 1024
    } KiB of whole lines.`,
    mimeType: "application/jsonl",
    annotations: { audience: ["user"], priority: 0.1 },
    ...definedOnly({ size: found.size <= recordingBytes ? found.size : undefined }),
  }];
}

export const resourceTemplates = ({ active }: ListedState): ResourceTemplate[] => [
  ...active
    ? [{
      uriTemplate: testsTemplate,
      name: "test",
      title: "A test and its latest result",
      description:
        "The test's YAML, as pth_edit_test takes it, and its latest result. By the id of pth_list_tests.",
      mimeType: "text/markdown",
      annotations: { audience: ["assistant" as const], priority: 0.4 },
    }]
    : [],
  {
    uriTemplate: docsTemplate,
    name: "docs",
    title: "PTH's documents",
    mimeType: "text/markdown",
    annotations: { audience: ["assistant"], priority: 0.3 },
  },
];
