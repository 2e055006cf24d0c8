/** Region `open.environment` of the session: at most one environment, made and destroyed on request. */
import { and, assign, sendTo } from "xstate";
import { cancelledError } from "../cancelled_error.ts";
import { errorOf } from "./session_model.ts";
import { sessionSetup } from "./session_setup.ts";

const absent = sessionSetup.createStateConfig({
  on: {
    "session.provision": {
      guard: "isPermitted",
      target: "provisioning",
      actions: [
        { type: "accept", params: { part: "environment" } },
        assign({
          environment: ({ event, spawn }) =>
            spawn("environment", { id: "environment", input: { config: event.config } }),
        }),
        sendTo(({ context }) => context.environment!, { type: "environment.provision" }),
      ],
    },
  },
});

/** The environment died of an error of its own. What it had made stays in the register. */
const died = {
  target: ".absent",
  actions: [
    { type: "refuse", params: errorOf("environment") },
    "dropEnvironment",
  ],
} as const;

const provisioning = sessionSetup.createStateConfig({
  on: {
    "session.cancel_provision": { actions: "destroyEnvironment" },
    "environment.destroyed": {
      target: "absent",
      actions: [
        { type: "refuse", params: { part: "environment", error: cancelledError("provisioning") } },
        "dropEnvironment",
      ],
    },
    "environment.provisioned": {
      target: "ready",
      actions: [
        {
          type: "noteProvisioned",
          params: ({ event: { environment, tierAsked } }) => ({
            info: environment,
            config: environment.config,
            tierAsked,
          }),
        },
        { type: "answer", params: ({ event }) => ({ part: "environment", result: event.environment }) },
      ],
    },
    "environment.provision_failed": {
      target: "absent",
      actions: [
        { type: "refuse", params: ({ event }) => ({ part: "environment", error: event.error }) },
        "dropEnvironment",
      ],
    },
  },
});

/** Requests that the environment does side by side, or in turn; it answers each with the request's id. */
const forwarded = sessionSetup.createStateConfig({
  on: {
    "session.perform": {
      actions: [
        { type: "accept", params: { part: "operation" } },
        sendTo(
          ({ context }) => context.environment!,
          ({ event }) => ({ ...event, type: "environment.perform" }),
        ),
      ],
    },
    "session.cancel_operation": {
      actions: sendTo(({ context }) => context.environment!, ({ event }) => ({
        type: "environment.cancel_operation",
        requestId: event.operationId,
      })),
    },
    "session.snapshot": {
      actions: [
        { type: "accept", params: { part: "operation" } },
        sendTo(
          ({ context }) => context.environment!,
          ({ event }) => ({ ...event, type: "environment.snapshot" }),
        ),
      ],
    },
  },
}).on;

const ready = sessionSetup.createStateConfig({
  on: {
    ...forwarded,
    "session.rollback": {
      guard: and(["isPermitted", "settled"]),
      target: "rollingBack",
      actions: [
        { type: "accept", params: { part: "operation" } },
        "restServers",
        sendTo(
          ({ context }) => context.environment!,
          ({ event }) => ({ ...event, type: "environment.rollback" }),
        ),
      ],
    },
    "session.destroy_environment": {
      guard: and(["isPermitted", "pluginAbsent", "dependenciesAbsent"]),
      target: "destroying",
      actions: [{ type: "accept", params: { part: "environment" } }, "destroyEnvironment"],
    },
    /**
     * Gives up an environment that cannot be destroyed, so that another can be provisioned; the caller tries to
     * remove it later.
     */
    "session.abandon_environment": {
      guard: and(["isPermitted", "pluginAbsent"]),
      target: "absent",
      actions: [
        { type: "accept", params: { part: "environment" } },
        { type: "answer", params: { part: "environment" } },
        "dropEnvironment",
      ],
    },
  },
});

/** Starts nothing in an environment that is about to be replaced. */
const rollingBack = sessionSetup.createStateConfig({
  on: {
    ...forwarded,
    "environment.rolled_back": "ready",
    "environment.rollback_failed": { target: "ready", actions: "wakeServers" },
  },
});

const destroying = sessionSetup.createStateConfig({
  on: {
    "environment.destroyed": {
      target: "absent",
      actions: [{ type: "answer", params: { part: "environment" } }, "dropEnvironment"],
    },
    "environment.destroy_failed": {
      target: "ready",
      actions: [
        { type: "refuse", params: ({ event }) => ({ part: "environment", error: event.error }) },
      ],
    },
  },
});

export const environmentRegion = sessionSetup.createStateConfig({
  initial: "absent",
  on: { "xstate.error.actor.environment": died },
  states: { absent, provisioning, ready, rollingBack, destroying },
});
