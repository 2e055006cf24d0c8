/**
 * The server instances of one plugin and who may use them.
 *
 * Started by the plugin. Keeps one connection open, grows to the asked size while leases wait, replaces a server that was
 * lost or damaged, and hands each connection to one holder at a time.
 */
import { type AnyActorRef, assign, enqueueActions, sendTo, setup, stopChild } from "xstate";
import { type ConnectionFact, connectionMachine, lossOf } from "./connection_machine.ts";
import type { CloseReport, PluginPlan } from "./model/plugin.ts";
import { messageOf } from "./message_of.ts";
import { parentRef } from "./parent_ref.ts";
import { handOut, takeBack } from "./pool/hand_out.ts";
import {
  freeInstance,
  type Lease,
  occupiedPlaces,
  type PoolMember,
  removeMember,
  retireGroup,
  sizeLimit,
  uncoveredLeases,
  updateMember,
  wantedMembers,
  withReport,
} from "./pool/members.ts";
import type { LeaseFact, PoolEvent, PoolFact } from "./pool/pool_events.ts";

interface PoolContext {
  plan: PluginPlan;
  size: number;
  spares: number;
  /** Number of instances that can live at once, as far as failed openings have shown. */
  most: number;
  members: Record<string, PoolMember>;
  waiting: Lease[];
  opened: number;
  /** Openings that failed in a row. */
  failures: number;
  lastError: unknown;
  reports: CloseReport[];
  /** Test that waits until no server runs. */
  asker: AnyActorRef | undefined;
}

type OpenedMember = Extract<ConnectionFact, { type: "connection.opened" }>;

/** Openings that may fail in a row before those who wait are refused. */
const patience = 3;

const openMissing = (least: number) =>
  ({ guard: { type: "tooFew", params: { least } }, actions: "open" }) as const;
const tellPlugin = (fact: PoolFact) => fact;
const vacated = { type: "pool.vacated" as const };
const tellHolder = (fact: LeaseFact) => fact;
export const poolMachine = setup({
  types: {
    context: {} as PoolContext,
    input: {} as { plan: PluginPlan; size?: number },
    events: {} as PoolEvent,
  },
  actors: { connection: connectionMachine },
  actions: {
    /** Opens a connection with the features that the first uncovered lease asks for. */
    open: assign(({ context, spawn }) => {
      const { dependency } = context.plan;
      const id = `${dependency === undefined ? "" : `${dependency}-`}connection-${context.opened + 1}`;
      const instance = freeInstance(context.members);
      const { abilities = [], group } = uncoveredLeases(context.waiting, context.members)[0] ?? {};
      const connection = spawn("connection", {
        id,
        input: { connectionId: id, instance, plan: context.plan, abilities },
      });
      const state = "opening" as const;
      const member = { connection, instance, abilities, state, ...(group === undefined ? {} : { group }) };
      return { opened: context.opened + 1, members: { ...context.members, [id]: member } };
    }),
    noteOpened: assign(({ context: { members } }, { connectionId, pid }: OpenedMember) => ({
      members: updateMember(members, connectionId, { state: "idle", ...(pid === undefined ? {} : { pid }) }),
      failures: 0,
    })),
    queueLease: enqueueActions(({ context, event, enqueue }) => {
      const { type: _, ...lease } = event as Extract<PoolEvent, { type: "lease.requested" }>;
      enqueue.assign({ waiting: [...context.waiting, lease] });
    }),
    /** Hands idle connections to those who wait, then closes those beyond the wanted number. */
    settle: enqueueActions(({ context, enqueue }) => {
      const { sends, ...left } = handOut(context);
      for (const { to, event } of sends) enqueue.sendTo(to, event);
      enqueue.assign(left);
    }),
    /** Queues a lease, and settles. */
    lease: enqueueActions(({ context, event, enqueue }) => {
      const { type: _, ...lease } = event as Extract<PoolEvent, { type: "lease.requested" }>;
      const { sends, ...left } = handOut({ ...context, waiting: [...context.waiting, lease] });
      for (const { to, event } of sends) enqueue.sendTo(to, event);
      enqueue.assign(left);
    }),
    /** Ends a lease, and settles. */
    release: enqueueActions(({ context, event, enqueue }) => {
      const { closing, ...kept } = takeBack(context, event as Extract<PoolEvent, { type: "lease.released" }>);
      if (closing) enqueue.sendTo(closing.connection, { type: "connection.close" });
      const { sends, ...left } = handOut({ ...context, ...kept });
      for (const { to, event } of sends) enqueue.sendTo(to, event);
      enqueue.assign(left);
    }),
    retireGroup: enqueueActions(({ context, event, enqueue }) => {
      const { group } = event as Extract<PoolEvent, { type: "pool.retire" }>;
      const { members, closing } = retireGroup(context.members, group);
      for (const { connection } of closing) enqueue.sendTo(connection, { type: "connection.close" });
      enqueue.assign({ members });
    }),
    closeIdle: enqueueActions(({ context, enqueue }) => {
      let { members } = context;
      for (const [id, { connection, state }] of Object.entries(members)) {
        if (state !== "idle") continue;
        members = updateMember(members, id, { state: "closing" });
        enqueue.sendTo(connection, { type: "connection.close" });
      }
      enqueue.assign({ members });
    }),
    tellVacated: enqueueActions(({ context: { asker }, enqueue }) => {
      if (asker) enqueue.sendTo(asker, vacated);
      enqueue.assign({ asker: undefined });
    }),
    noteFailure: enqueueActions(({ context, event, enqueue }) => {
      const { connectionId, error } = event as Extract<ConnectionFact, { type: "connection.open_failed" }>;
      const members = removeMember(context.members, connectionId);
      const beside = Object.keys(members).length;
      // A server may not bear another beside it (a fixed port, a lock): then it is opened once the others have ended.
      enqueue.assign(
        beside === 0
          ? { members, failures: context.failures + 1, lastError: error }
          : { members, most: beside, lastError: error },
      );
    }),
    refuseLease: enqueueActions(({ event, enqueue }, { error }: { error: unknown }) => {
      const { leaseId, holder } = event as unknown as Lease;
      enqueue.sendTo(holder, tellHolder({ type: "lease.refused", leaseId, error }));
    }),
    refuseAll: enqueueActions(({ context, enqueue }) => {
      for (const { leaseId, holder } of context.waiting) {
        enqueue.sendTo(holder, tellHolder({ type: "lease.refused", leaseId, error: context.lastError }));
      }
      enqueue.assign({ waiting: [], failures: 0 });
    }),
    /** A connection that has died of an error of its own counts as one that was never open, or is closed. */
    takeDead: enqueueActions(({ context, event, enqueue }) => {
      const { actorId: connectionId, error } = event as { actorId: string; error: unknown };
      const member = context.members[connectionId];
      if (!member) return;
      if (member.state === "opening") {
        enqueue.raise({ type: "connection.open_failed", connectionId, error });
        return;
      }
      if (member.state === "leased" && member.lease) {
        const loss = lossOf(messageOf(error));
        enqueue.sendTo(member.lease.holder, tellHolder({ type: "connection.lost", connectionId, loss }));
      }
      enqueue.raise({ type: "connection.closed", connectionId, report: undefined });
    }),
    closeAll: enqueueActions(({ context, enqueue }) => {
      for (const [connectionId, { connection, lease, state }] of Object.entries(context.members)) {
        if (state === "closing") continue;
        // Whoever waits for an answer would wait for ever.
        if (lease) {
          const loss = lossOf("the plugin is being stopped");
          enqueue.sendTo(lease.holder, tellHolder({ type: "connection.lost", connectionId, loss }));
        }
        enqueue.sendTo(connection, { type: "connection.close" });
      }
      enqueue.assign({
        members: Object.fromEntries(
          Object.entries(context.members).map((
            [id, member],
          ) => [id, { ...member, state: "closing" as const }]),
        ),
      });
    }),
  },
  guards: {
    /** `least`: servers that stay open, also while nobody wants one. */
    tooFew: ({ context }, { least }: { least: number }) =>
      occupiedPlaces(context) < wantedMembers({ ...context, size: sizeLimit(context) }, least),
    keepFailing: ({ context }) =>
      context.failures + 1 >= patience && Object.keys(context.members).length === 1,
    empty: ({ context }) => Object.keys(context.members).length === 0,
  },
}).createMachine({
  id: "pool",
  description: "The server instances of one plugin and who may use them.",
  context: ({ input }) => ({
    plan: input.plan,
    size: input.size ?? 1,
    spares: 0,
    most: Number.MAX_SAFE_INTEGER,
    members: {},
    waiting: [],
    opened: 0,
    failures: 0,
    lastError: undefined,
    reports: [],
    asker: undefined,
  }),
  initial: "opening",
  on: {
    "connection.opened": {
      actions: [
        { type: "noteOpened", params: ({ event }) => event },
        "settle",
      ],
    },
    "connection.closed": {
      actions: [
        stopChild(({ event }) => event.connectionId),
        assign({
          members: ({ context, event }) => removeMember(context.members, event.connectionId),
          reports: ({ context, event }) => withReport(context.reports, event.report),
        }),
        "settle",
      ],
    },
    "lease.requested": { actions: "lease" },
    "lease.released": { actions: "release" },
    "connection.lost": {
      actions: [
        enqueueActions(({ context, event, enqueue }) => {
          const lease = context.members[event.connectionId]?.lease;
          if (lease) enqueue.sendTo(lease.holder, tellHolder(event));
          enqueue.assign({
            members: updateMember(context.members, event.connectionId, { state: "closing" }),
          });
        }),
        "settle",
      ],
    },
    "xstate.error.actor.*": { actions: "takeDead" },
    "pool.resize": {
      actions: [
        assign(({ event: { size, spares = 0 } }) => ({ size: Math.max(1, size), spares })),
        "settle",
      ],
    },
    "pool.retire": { actions: ["retireGroup", "settle"] },
    "pool.vacate": { actions: sendTo(({ event }) => event.asker, vacated) },
    "pool.close": ".draining",
  },
  states: {
    /** The first connection shows whether the server works at all. */
    opening: {
      always: openMissing(1),
      on: {
        "connection.opened": {
          target: "serving",
          actions: [
            { type: "noteOpened", params: ({ event }) => event },
            sendTo(
              parentRef,
              ({ event: { server, pid, tools } }) => tellPlugin({ type: "pool.opened", server, pid, tools }),
            ),
          ],
        },
        "connection.open_failed": {
          target: "failed",
          actions: [
            assign({ members: {}, lastError: ({ event }) => event.error }),
            "refuseAll",
            sendTo(parentRef, ({ event }) => tellPlugin({ type: "pool.failed", error: event.error })),
          ],
        },
      },
    },
    serving: {
      initial: "awake",
      states: {
        /** Keeps one server open, even if none is requested. */
        awake: {
          entry: "settle",
          always: openMissing(1),
          on: { "pool.rest": "resting" },
        },
        /** Opens no server until one is requested: its environment is about to be replaced, or servers keep failing. */
        resting: {
          always: openMissing(0),
          on: {
            "pool.wake": "awake",
            "lease.requested": { target: "awake", actions: "queueLease" },
          },
        },
        /** Ends its servers, as a test is to be alone; a lease that is requested nevertheless comes first. */
        vacating: {
          entry: "closeIdle",
          exit: "tellVacated",
          always: { guard: "empty", target: "resting" },
          on: {
            "connection.opened": {
              actions: [{ type: "noteOpened", params: ({ event }) => event }, "closeIdle"],
            },
            "lease.requested": { target: "awake", actions: "queueLease" },
          },
        },
      },
      on: {
        "pool.vacate": {
          target: ".vacating",
          actions: assign(({ event: { asker } }) => ({ asker, spares: 0 })),
        },
        "connection.open_failed": [
          { guard: "keepFailing", target: ".resting", actions: ["noteFailure", "refuseAll"] },
          { actions: ["noteFailure", "settle"] },
        ],
      },
    },
    draining: {
      entry: ["refuseAll", "closeAll"],
      always: { guard: "empty", target: "closed" },
      on: {
        "connection.opened": {
          actions: enqueueActions(({ context, event, enqueue }) => {
            const member = context.members[event.connectionId];
            if (member) enqueue.sendTo(member.connection, { type: "connection.close" });
          }),
        },
        "connection.open_failed": {
          actions: assign({
            members: ({ context, event }) => removeMember(context.members, event.connectionId),
          }),
        },
        "connection.closed": {
          actions: assign({
            members: ({ context, event }) => removeMember(context.members, event.connectionId),
            reports: ({ context, event }) => withReport(context.reports, event.report),
          }),
        },
        "connection.lost": {},
        "lease.released": {},
        "lease.requested": {
          actions: {
            type: "refuseLease",
            params: { error: new Error("Cannot lease a connection: the pool is closing") },
          },
        },
        "pool.close": {},
        "pool.resize": {},
        "pool.retire": {},
      },
    },
    failed: {
      on: {
        "lease.requested": {
          actions: { type: "refuseLease", params: ({ context }) => ({ error: context.lastError }) },
        },
        "pool.close": "closed",
      },
    },
    closed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context }) => tellPlugin({ type: "pool.closed", reports: context.reports }),
      ),
    },
  },
});
