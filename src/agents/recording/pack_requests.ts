/** Images of requests as the part `recorded` of a playbook: each text, tool and set of tools stands there once. */
import type { RecordedRequests, RecordedTool } from "../../../machines/model/playbook.ts";
import type { RequestImage, RequestImages } from "./request_images.ts";

export interface RecordedAgent {
  agent: string;
  version: string | undefined;
  /** Name of the model that it asks for. */
  model?: string | undefined;
  prompt: string;
}

/** @param images Images by the names that turns give. */
export function packRequests(
  { agent, version, model, prompt }: RecordedAgent,
  images: ReadonlyMap<string, RequestImage>,
  tools: ReadonlyMap<string, RecordedTool>,
): RecordedRequests {
  const texts = new Names("t");
  const sets = new Names("s");
  const requests = [...images].map(([name, image]) =>
    [name, {
      system: texts.of(image.system),
      tools: sets.of(image.tools.join("\n")),
      messages: image.messages.map((text) => texts.of(text)),
    }] as const
  );
  return {
    agent,
    ...(version === undefined ? {} : { version }),
    ...(model === undefined ? {} : { model }),
    prompt,
    requests: Object.fromEntries(requests),
    tool_sets: Object.fromEntries(
      sets.entries().map(([name, names]) => [name, names.split("\n").filter((each) => each !== "")]),
    ),
    tools: Object.fromEntries([...tools].sort(([a], [b]) => a < b ? -1 : 1)),
    texts: Object.fromEntries(texts.entries()),
  };
}

/** Recorded requests with those in place that came; what did not come stays as it was. */
export function repackRequests(
  agent: RecordedAgent,
  recorded: RecordedRequests,
  came: ReadonlyMap<string, RequestImage>,
  tools: RequestImages["tools"],
): RecordedRequests {
  const images = new Map(
    Object.keys(recorded.requests).map((name) => [name, came.get(name) ?? unpackRequest(recorded, name)!]),
  );
  const offered = new Set([...images.values()].flatMap(({ tools }) => tools));
  const known = new Map(
    [...Object.entries(recorded.tools), ...tools].filter(([name]) => offered.has(name)),
  );
  return packRequests(agent, images, known);
}

/** An image that was packed; undefined for a name that no request has. */
export function unpackRequest(recorded: RecordedRequests, name: string): RequestImage | undefined {
  const { requests, texts, tool_sets: sets } = recorded;
  if (!Object.hasOwn(requests, name)) return undefined;
  const { system, tools, messages } = requests[name]!;
  return { system: texts[system]!, tools: sets[tools]!, messages: messages.map((text) => texts[text]!) };
}

/** Numbers different values. */
class Names {
  readonly #names = new Map<string, string>();
  readonly #letter: string;

  constructor(letter: string) {
    this.#letter = letter;
  }

  of(value: string): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const name = `${this.#letter}${this.#names.size + 1}`;
    this.#names.set(value, name);
    return name;
  }

  entries = (): [name: string, value: string][] => [...this.#names].map(([value, name]) => [name, value]);
}
