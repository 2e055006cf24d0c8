/// <reference lib="dom" />
/** What the machine knows at the position. */
import type { ActorDetail } from "../../timeline/timeline.ts";
import { sinceStart } from "../format/time_text.ts";
import { JsonTree } from "./json_tree.tsx";
import { Section } from "./section.tsx";

export const ContextPart = ({ detail: { context, contextAt, actor } }: { detail: ActorDetail }) => (
  <Section title="Context" hint="What the machine knows; secrets are taken out">
    {context === undefined
      ? (
        <span class="quiet">
          It was thinned away here to keep the recording small. Step back or on to a moment that has it.
        </span>
      )
      : (
        <>
          {contextAt !== undefined && <div class="quiet">as of {sinceStart(contextAt)}</div>}
          <JsonTree key={actor} value={context} label="Context" />
        </>
      )}
  </Section>
);
