/** Lists of what the server offers besides tools. Hosts ask for them at once, so they need neither the library nor a harness. */
import { prompts } from "./prompts/prompts.ts";
import { type ListedState, resourceList, resourceTemplates } from "./resources/resource_list.ts";

export type OfferList = "resources/list" | "resources/templates/list" | "prompts/list";

type Answer = (state: ListedState) => Record<string, unknown> | Promise<Record<string, unknown>>;

export const offerLists: Record<OfferList, Answer> = {
  "resources/list": async (state) => ({ resources: await resourceList(state) }),
  "resources/templates/list": (state) => ({ resourceTemplates: resourceTemplates(state) }),
  "prompts/list": () => ({ prompts: prompts() }),
};
