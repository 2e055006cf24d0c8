/** Texts that a model was sent in a session, each once: for expectations on what it was told. */
import type { ModelInput } from "../../../machines/model/agent_session.ts";
import type { ModelRequest } from "../../agents/playbook/model_request.ts";

/** Characters of all texts together. */
const mostText = 4_000_000;

export class ModelInputs {
  readonly texts: ModelInput[] = [];
  /** Whether there was more than is kept. */
  cut = false;
  /** Latest system prompt, tools and number of messages of each conversation. */
  readonly #known = new Map<string | undefined, { system: string; tools: string; messages: number }>();
  #length = 0;

  hear({ agent, system, tools, messages }: ModelRequest): void {
    const known = this.#known.get(agent) ?? { system: "", tools: "", messages: 0 };
    const offered = tools.map(({ name, description = "" }) => `${name}: ${description}`).join("\n");
    this.#known.set(agent, { system, tools: offered, messages: messages.length });
    if (system !== known.system) this.#keep({ agent, in: "system", text: system });
    if (offered !== known.tools) this.#keep({ agent, in: "tools", text: offered });
    // A conversation that is shorter was summarized, and begins anew.
    for (const { role, text } of messages.slice(messages.length < known.messages ? 0 : known.messages)) {
      if (role !== "assistant" && text !== "") this.#keep({ agent, in: "messages", text });
    }
  }

  #keep({ agent, ...told }: Omit<ModelInput, "agent"> & { agent: string | undefined }): void {
    this.#length += told.text.length;
    if (this.#length > mostText) this.cut = true;
    else this.texts.push({ ...(agent === undefined ? {} : { agent }), ...told });
  }
}
