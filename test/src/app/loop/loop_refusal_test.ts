import t from "tap";
import { sendRequest, type SessionActor } from "../../../../src/app/send_request.ts";

/** A session at work on one request of the part, which takes what is a step of it, unless the environment is gone. */
function working(part: "iteration" | "matrix", { environment = "ready" } = {}): SessionActor {
  const loop = { context: { last: 2, turn: { number: 3 } }, value: { working: "fixing" } };
  return {
    getSnapshot: () => ({
      can: ({ replyTo }: { replyTo?: unknown }) => environment === "ready" && replyTo !== undefined,
      matches: () => part === "matrix",
      value: { open: { environment, plugin: "ready", suite: "idle" } },
      context: {
        pending: { other: { part: "task" }, "under way": { part } },
        iteration: { getSnapshot: () => loop },
      },
    }),
  } as unknown as SessionActor;
}

const apply = { type: "session.apply_fix", request: {} as never, reload: false, save: false } as const;

t.test("a request that only the loop stands against is told so, with the iteration and its phase", async (t) => {
  await t.rejects(sendRequest(working("iteration"), apply), {
    code: "NOT_NOW",
    message: "Cannot apply fix: the loop is under way (iteration 3, fixing)",
  });
});

t.test("a request that only the verification stands against is told so", async (t) => {
  await t.rejects(sendRequest(working("matrix"), apply), {
    code: "NOT_NOW",
    message: "Cannot apply fix: distributions are being verified",
  });
});

t.test("a request that the loop itself could not make is told the session's state", async (t) => {
  await t.rejects(sendRequest(working("iteration", { environment: "absent" }), apply), {
    code: "NOT_NOW",
    message: "Cannot apply fix: environment absent, plugin ready, suite idle",
  });
});
