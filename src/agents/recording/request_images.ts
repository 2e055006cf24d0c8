/** Images of requests: what of them is compared with a later session, without what changes each time. */
import type { SessionFolders } from "../playbook/folder_variables.ts";
import type { ModelRequest, OfferedTool } from "../playbook/model_request.ts";
import { settledText } from "./settled_text.ts";

export interface RequestImage {
  system: string;
  /** Names, in their order. */
  tools: string[];
  /** Texts that were not in the request before; those of the model are left out. */
  messages: string[];
}

/** Characters of all images together; each text counts once. */
const mostText = 2_000_000;

/** Takes the images of one session's requests. */
export class RequestImages {
  /** First definition of each tool. */
  readonly tools = new Map<string, Omit<OfferedTool, "name">>();
  /** Number of requests that were too much to keep. */
  lost = 0;
  readonly #folders: SessionFolders;
  readonly #agents = new Set<string>();
  /** Messages that a conversation had, by its name. */
  readonly #said = new Map<string, number>();
  /** Texts as they came, with what is left of them: most come again and again. */
  readonly #texts = new Map<string, string>();
  #length = 0;

  constructor(folders: SessionFolders) {
    this.#folders = folders;
  }

  /** @returns undefined once there is too much. */
  take(conversation: string, request: ModelRequest): RequestImage | undefined {
    if (request.agent !== undefined) this.#agents.add(request.agent);
    const before = this.#said.get(conversation) ?? 0;
    this.#said.set(conversation, request.messages.length);
    if (this.#length > mostText) {
      this.lost++;
      return undefined;
    }
    for (const { name, ...tool } of request.tools) {
      if (this.tools.has(name)) continue;
      this.#length += JSON.stringify(tool).length;
      this.tools.set(name, {
        ...tool,
        ...(tool.description === undefined ? {} : { description: this.#settled(tool.description) }),
      });
    }
    // One that is shorter was summarized, and begins anew.
    const fresh = request.messages.slice(request.messages.length < before ? 0 : before);
    return {
      system: this.#settled(request.system),
      tools: request.tools.map(({ name }) => name).sort(),
      messages: fresh.filter(({ role, text }) => role !== "assistant" && text !== "")
        .map(({ text }) => this.#settled(text)),
    };
  }

  #settled(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const settled = settledText(text, this.#folders, this.#agents);
    this.#length += settled.length;
    this.#texts.set(text, settled);
    return settled;
  }
}
