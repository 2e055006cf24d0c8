/** Requests of several steps, at `open` of the session: each is an actor of its own, beside the regions. */
import { and, enqueueActions, stateIn } from "xstate";
import { actorOf } from "./session_model.ts";
import { sessionSetup } from "./session_setup.ts";

export const tasks = sessionSetup.createStateConfig({
  on: {
    "session.load_plugin": {
      guard: "mayLoad",
      actions: [
        { type: "accept", params: { part: "load" } },
        { type: "noteCoverage", params: ({ event: { coverage } }) => ({ coverage }) },
        enqueueActions(({ context, event: { requestId, load, caller = requestId }, enqueue, check }) => {
          enqueue.spawnChild("loadTask", {
            id: actorOf(context, requestId),
            input: {
              requestId,
              caller,
              load: load ?? context.loaded.request ?? {},
              reload: false,
              running: check(stateIn({ open: { plugin: "ready" } })),
              dependencies: !check("dependenciesUp"),
            },
          });
        }),
      ],
    },
    "session.reload_plugin": {
      guard: "mayLoad",
      actions: [
        { type: "accept", params: { part: "load" } },
        { type: "noteCoverage", params: ({ event: { coverage } }) => ({ coverage }) },
        enqueueActions(({ context, event: { requestId, caller = requestId }, enqueue, check }) => {
          enqueue.spawnChild("loadTask", {
            id: actorOf(context, requestId),
            input: {
              requestId,
              caller,
              load: context.loaded.request ?? {},
              reload: true,
              running: check(stateIn({ open: { plugin: "ready" } })),
              dependencies: !check("dependenciesUp"),
            },
          });
        }),
      ],
    },
    "session.apply_fix": {
      guard: "isPermitted",
      actions: [
        { type: "accept", params: { part: "task" } },
        enqueueActions(
          ({ context, event: { requestId, caller = requestId, request, reload, save }, enqueue }) => {
            enqueue.spawnChild("fixTask", {
              id: actorOf(context, requestId),
              input: { requestId, caller, request, reload, save },
            });
          },
        ),
      ],
    },
    "session.revert_fix": {
      guard: "isPermitted",
      actions: [
        { type: "accept", params: { part: "task" } },
        enqueueActions(
          ({ context, event: { requestId, caller = requestId, commit, reload }, enqueue, check }) => {
            const wasLoaded = context.loaded.lost !== undefined ||
              check(stateIn({ open: { plugin: "ready" } }));
            enqueue.spawnChild("revertTask", {
              id: actorOf(context, requestId),
              input: { requestId, caller, commit, reload, wasLoaded },
            });
          },
        ),
      ],
    },
    "session.replace_environment": {
      guard: "mayReplace",
      actions: [
        { type: "accept", params: { part: "task" } },
        enqueueActions(({ context, event: { requestId, caller = requestId, config }, enqueue, check }) => {
          const running = check(stateIn({ open: { plugin: "ready" } }));
          enqueue.spawnChild("replaceTask", {
            id: actorOf(context, requestId),
            input: {
              requestId,
              caller,
              config,
              present: context.environment !== undefined,
              running,
              dependencies: context.dependencies !== undefined,
              wasLoaded: running || context.loaded.lost !== undefined,
            },
          });
        }),
      ],
    },
    "session.restore_snapshot": {
      guard: "mayRestore",
      actions: [
        { type: "accept", params: { part: "task" } },
        enqueueActions(
          ({ context, event: { requestId, caller = requestId, snapshot, recover }, enqueue, check }) => {
            const wasLoaded = context.loaded.lost !== undefined ||
              check(stateIn({ open: { plugin: "ready" } }));
            enqueue.spawnChild("restoreTask", {
              id: actorOf(context, requestId),
              input: { requestId, caller, snapshot, recover, wasLoaded },
            });
          },
        ),
      ],
    },
    "plugin.loaded": {
      actions: [
        { type: "noteLoaded", params: ({ event }) => ({ contract: event.plugin.contract }) },
        "passOn",
      ],
    },
    "plugin.load_failed": {
      actions: { type: "noteLoaded", params: ({ event }) => ({ failure: event.error }) },
    },
    "session.run_tests": {
      guard: and(["isPermitted", "noTestRun"]),
      actions: [
        { type: "accept", params: { part: "tests" } },
        enqueueActions(({ context, event: { requestId, caller = requestId, suite }, enqueue }) => {
          enqueue.spawnChild("testRunTask", {
            id: actorOf(context, requestId),
            input: { requestId, caller, suite },
          });
        }),
      ],
    },
    "session.run_clean": {
      guard: "mayReplace",
      actions: [
        { type: "accept", params: { part: "task" } },
        enqueueActions(({ context, event: { requestId, caller = requestId, suite }, enqueue }) => {
          enqueue.spawnChild("cleanRunTask", {
            id: actorOf(context, requestId),
            input: { requestId, caller, suite },
          });
        }),
      ],
    },
    "session.run_agent": {
      guard: "isPermitted",
      actions: [
        { type: "accept", params: { part: "task" } },
        enqueueActions(({ context, event: { requestId, caller = requestId, run }, enqueue }) => {
          enqueue.spawnChild("agentTask", {
            id: actorOf(context, requestId),
            input: { requestId, caller, run },
          });
        }),
      ],
    },
    "session.run_hooks": {
      guard: "isPermitted",
      actions: [
        { type: "accept", params: { part: "task" } },
        enqueueActions(({ context, event: { requestId, caller = requestId, run }, enqueue }) => {
          enqueue.spawnChild("hookTask", {
            id: actorOf(context, requestId),
            input: { requestId, caller, run },
          });
        }),
      ],
    },
    "session.check_install": {
      guard: "isPermitted",
      actions: [
        { type: "accept", params: { part: "task" } },
        enqueueActions(({ context, event: { requestId, caller = requestId, check }, enqueue }) => {
          enqueue.spawnChild("installCheckTask", {
            id: actorOf(context, requestId),
            input: { requestId, caller, check },
          });
        }),
      ],
    },
    "session.run_fixture": {
      guard: "isPermitted",
      actions: [
        { type: "accept", params: { part: "task" } },
        enqueueActions(({ context, event: { requestId, caller = requestId, run }, enqueue }) => {
          enqueue.spawnChild("fixtureTask", {
            id: actorOf(context, requestId),
            input: { requestId, caller, run },
          });
        }),
      ],
    },
    "session.run_evals": {
      guard: "mayEvaluate",
      actions: [
        { type: "accept", params: { part: "evals" } },
        enqueueActions(({ context, event: { requestId, caller = requestId, evals }, enqueue }) => {
          enqueue.spawnChild("evalsTask", {
            id: actorOf(context, requestId),
            input: { requestId, caller, evals },
          });
        }),
      ],
    },
    "session.run_project_tests": {
      guard: "mayRunOwnTests",
      actions: [
        { type: "accept", params: { part: "evals" } },
        enqueueActions(({ context, event: { requestId, caller = requestId, run }, enqueue }) => {
          enqueue.spawnChild("projectTestTask", {
            id: actorOf(context, requestId),
            input: { requestId, caller, run },
          });
        }),
      ],
    },
    "eval.finished": { actions: "passOn" },
    "agent_test.*": { actions: "passOn" },
    "session.close": {
      actions: [
        { type: "accept", params: { part: "task" } },
        enqueueActions(({ context, event: { requestId, always, pullRequest }, enqueue }) => {
          const exports = context.mode === "session" ? { always, pullRequest } : undefined;
          enqueue.spawnChild("closeTask", {
            id: actorOf(context, requestId),
            input: { requestId, caller: requestId, exports },
          });
        }),
      ],
    },
    "session.resume": {
      guard: "mayResume",
      actions: [
        { type: "accept", params: { part: "task" } },
        enqueueActions(({ context, event: { requestId, caller = requestId, config, withheld }, enqueue }) => {
          enqueue.spawnChild("resumeTask", {
            id: actorOf(context, requestId),
            input: { requestId, caller, config, withheld },
          });
        }),
      ],
    },
    "task.*": {
      actions: {
        type: "answerOne",
        params: ({ event }) =>
          event.type === "task.completed"
            ? { type: "request.completed", requestId: event.requestId, result: event.result }
            : { type: "request.failed", requestId: event.requestId, error: event.error },
      },
    },
    /** A child's request that no region took is refused, as the outside would not have been let in with it. */
    "session.expect_answer": { guard: "isUntaken", actions: "refuseUntaken" },
    "session.cancel_request": { actions: "cancelRequest" },
  },
}).on;
