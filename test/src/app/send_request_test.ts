import t from "tap";
import type { SessionRequests } from "../../../machines/session/session_requests.ts";
import { sendRequest, type SessionActor } from "../../../src/app/send_request.ts";

/** A session that takes nothing. */
const closed = (pending: object): SessionActor => ({
  getSnapshot: () => ({
    can: () => false,
    value: { open: { environment: "ready", plugin: "ready", suite: "idle" } },
    context: { pending },
  }),
} as unknown as SessionActor);

t.test("while evals run, what would change what they are about is refused with that reason, other requests with theirs", async (t) => {
  const session = closed({ e: { part: "evals" } });
  const refusal = (type: keyof SessionRequests) =>
    sendRequest(session, { type } as never).then(() => "taken", (error: Error) => error.message);
  t.equal(
    await refusal("session.reload_plugin"),
    "Cannot reload plugin: evals or the plugin's own tests are under way",
  );
  t.equal(
    await refusal("session.replace_environment"),
    "Cannot provision environment: evals or the plugin's own tests are under way",
  );
  t.equal(await refusal("session.iterate"), "Cannot iterate: evals or the plugin's own tests are under way");
  t.match(await refusal("session.close_agent_run"), /^Cannot close the run: environment ready/);
});
