/** Asks the person behind the MCP client for configuration, as far as the client can (MCP elicitation). */
// @ts-types="@modelcontextprotocol/sdk/types"
import type {
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { errorMessage } from "../core/errors.ts";
import type { AskConfig, ConfigAnswer, ConfigQuestion, MissingValue, ProgressStep } from "../api/harness.ts";
import { openValuePage } from "./value_page.ts";

/** Parts of an MCP client that are needed to ask. */
export interface AskingClient {
  /** Form mode: the values pass through the client, so that it is not for secrets. */
  takesForms: boolean;
  /** URL mode: the person opens a page. */
  opensPages: boolean;
  elicit(
    params: ElicitRequestFormParams | ElicitRequestURLParams,
    options: { signal?: AbortSignal; timeout: number },
  ): Promise<ElicitResult>;
  /** Tells the client that what was asked on a page is answered. */
  completed(elicitationId: string): Promise<void>;
}

/** Milliseconds that a person may take. */
const patienceMs = 10 * 60_000;

/** Secrets are asked for on a page of PTH's own only; where that cannot be, nothing is asked. */
export function configAsker(client: AskingClient, progress: (step: ProgressStep) => void): AskConfig {
  return async (question, signal) => {
    const { forms, page } = split(client, question.missing);
    const way = whyNot(client, page);
    if (way !== undefined) return { refused: way };
    progress({
      phase: "config",
      message: `asking for ${question.missing.map(({ name }) => name).join(", ")}`,
    });
    const values: Record<string, string> = {};
    for (const [missing, ask] of [[forms, askByForm], [page, askByPage]] as const) {
      if (missing.length === 0) continue;
      const answer = await answered(() => ask(client, { ...question, missing }, signal), signal);
      if ("refused" in answer) return answer;
      Object.assign(values, answer.values);
    }
    return { values };
  };
}

/** Gives what is not secret to the client's own form where it has one, the rest to the page. */
function split({ takesForms }: AskingClient, missing: readonly MissingValue[]) {
  const byForm = ({ secret }: MissingValue) => takesForms && !secret;
  return { forms: missing.filter(byForm), page: missing.filter((value) => !byForm(value)) };
}

function whyNot({ takesForms, opensPages }: AskingClient, page: readonly MissingValue[]): string | undefined {
  if (!takesForms && !opensPages) return "nobody, since the MCP client has no elicitation";
  if (page.length === 0 || opensPages) return undefined;
  const names = page.map(({ name }) => name).join(", ");
  return `nobody: ${names} must not pass through the client's forms, and it opens no pages (elicitation in URL mode)`;
}

async function askByForm(
  client: AskingClient,
  { plugin, missing }: ConfigQuestion,
  signal?: AbortSignal,
): Promise<ConfigAnswer> {
  const result = await client.elicit({
    mode: "form",
    message: messageFor(plugin, missing),
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(missing.map(({ name, description, source }) => [
        name,
        { type: "string", title: name, description: description ?? `Declared in ${source}`, minLength: 1 },
      ])),
      required: missing.map(({ name }) => name),
    },
  }, limits(signal));
  if (result.action !== "accept") return { refused: refusal(result) };
  const values = missing.map(({ name }) => [name, result.content?.[name]] as const);
  return {
    values: Object.fromEntries(
      values.flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)]]),
    ),
  };
}

async function askByPage(
  client: AskingClient,
  question: ConfigQuestion,
  signal?: AbortSignal,
): Promise<ConfigAnswer> {
  const page = await openValuePage(question);
  try {
    const elicitationId = crypto.randomUUID();
    const message = `${
      messageFor(question.plugin, question.missing)
    } It is typed on a page that PTH serves on this machine.`;
    const params = { mode: "url" as const, message, elicitationId, url: page.url };
    const result = await client.elicit(params, limits(signal));
    if (result.action !== "accept") return { refused: refusal(result) };
    const values = await inTime(page.given, signal);
    if (values === undefined) {
      return { refused: "the person, who opened the page and gave nothing within 10 minutes" };
    }
    await client.completed(elicitationId);
    return { values };
  } finally {
    await page.close();
  }
}

const messageFor = (plugin: string, missing: readonly MissingValue[]): string => {
  const names = missing.map(({ name, description }) =>
    description === undefined ? name : `${name} (${description})`
  );
  return `${plugin} does not start without ${names.join(", ")}.`;
};

const limits = (signal: AbortSignal | undefined) => ({ timeout: patienceMs, ...(signal && { signal }) });

const refusal = ({ action }: ElicitResult): string =>
  action === "decline" ? "the person, who declined to answer" : "the person, who dismissed the question";

/** A client that fails to ask must not hide what is missing. */
async function answered(ask: () => Promise<ConfigAnswer>, signal?: AbortSignal): Promise<ConfigAnswer> {
  try {
    return await ask();
  } catch (error) {
    signal?.throwIfAborted();
    return { refused: `the person, but the client could not: ${errorMessage(error)}` };
  }
}

/** Undefined when the time is up. */
async function inTime<T>(work: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  signal?.throwIfAborted();
  let stop = () => {};
  const late = new Promise<undefined>((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), patienceMs);
    const abort = () => reject(signal!.reason);
    signal?.addEventListener("abort", abort, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop();
  }
}
