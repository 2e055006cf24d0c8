/** From a fault that was met to a find: shown again on a fresh server, as small as it gets, written as a test. */
import type { FuzzFind } from "../../../machines/model/fuzz.ts";
import { count } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import { serializeTests } from "../format/serialize_tests.ts";
import { judge } from "../judge/judge.ts";
import type { ToolInputs } from "./arbitraries/inputs.ts";
import { shorterLimit } from "./tool_exploration.ts";
import { type Fault, sameFault } from "./fault.ts";
import { foundTest } from "./found_test.ts";
import { hangFactor } from "./fuzz_server.ts";
import { minimise, type Minimised } from "./minimise.ts";
import type { OracleViolation, SeenCall } from "./oracle.ts";
import type { Callable, ReplayContext } from "./replay.ts";
import { settleSequence } from "./settle_sequence.ts";

export interface Settling extends ReplayContext {
  callable(tool: string): Callable | undefined;
  /** Tool of the fault. */
  subject: Callable;
  inputs: ToolInputs;
  seed: number;
  limitMs: number;
  /** Time in milliseconds that slower answers of this tool take. */
  usualMs: number;
  /** Milliseconds on the clock of the server after which nothing is made smaller. */
  until: number;
}

export type Settled = { find: FuzzFind; note?: undefined } | { find?: undefined; note: string };

/** Inputs that are tried to make one fault's input smaller, and one that is only a finding. */
const mostTries = 600;
const mostTriesOfFinding = 100;
/** Inputs on the way to the smallest one that are shown once more where that one does not. */
const mostBack = 3;

/** @throws {PthError} when the server does not start any more; the signal's reason */
export async function settleFault(fault: Fault, settling: Settling): Promise<Settled> {
  const { oracle, drawn: { input }, earlier } = fault;
  if (oracle.severity === "finding") return { find: await settleFinding(fault, settling) };
  const started = performance.now();
  const isHang = oracle.name === "hang";
  const { limitMs } = settling;
  const alone = await onFresh(fault, input, settling, { limitMs: isHang ? limitMs * hangFactor : limitMs });
  if (isHang && isSlow(alone, limitMs)) {
    return { note: `slow: ${JSON.stringify(input)} is answered after the limit of ${limitMs / 1000} s` };
  }
  if (alone.complaint !== undefined) return { find: await settleAlone(fault, settling, started) };
  const sequence = earlier === undefined || earlier.length === 0
    ? undefined
    : await settleSequence(fault, [...earlier, pastCall(fault, settling)], settling);
  if (sequence !== undefined) return { find: sequence };
  const after = earlier === undefined
    ? "its many earlier calls were not made again"
    : earlier.length === 0
    ? "on another fresh server it did not show again"
    : `neither the call alone nor the ${count(earlier.length, "call")} before it showed it again`;
  const find = baseFind(fault, settling, started);
  return {
    find: {
      ...find,
      // Once without an answer may be the machine's load; a process that ended did end.
      ...(isHang ? { severity: "finding" as const } : {}),
      message: `${fault.complaint.message}\n  not confirmed: ${after}`,
    },
  };
}

const isSlow = ({ call: { outcome, silence }, tookMs }: Seen, limitMs: number): boolean =>
  (outcome !== undefined && tookMs > limitMs) || (silence?.progress ?? 0) > 0;

const pastCall = ({ drawn }: Fault, { subject }: Settling) => ({
  tool: subject.tool.name,
  input: drawn.input,
  isError: false,
  ...definedOnly({ template: drawn.template }),
});

/** A fault as it was met. */
export function metFind(fault: Fault, tool: string, seed: number): FuzzFind {
  const { oracle, complaint, drawn, path } = fault;
  return {
    tool,
    oracle: oracle.name,
    severity: oracle.severity,
    ...definedOnly({ category: complaint.category, breach: drawn.breach }),
    message: complaint.message,
    signature: complaint.signature,
    original: drawn.input,
    input: drawn.input,
    shrinks: 0,
    shrinkMs: 0,
    confirmed: false,
    seed,
    path,
  };
}

const baseFind = (fault: Fault, { subject, seed }: Settling, started: number): FuzzFind => ({
  ...metFind(fault, subject.tool.name, seed),
  shrinkMs: Math.round(performance.now() - started),
});

/** The fault shows with one call on a fresh server. */
async function settleAlone(fault: Fault, settling: Settling, started: number): Promise<FuzzFind> {
  const { drawn } = fault;
  const { limitMs, usualMs, server, subject: { isValid } } = settling;
  const soon = {
    limitMs: fault.oracle.name === "hang" ? shorterLimit(limitMs, usualMs) : limitMs,
    patient: true,
  };
  const showsOnFresh = async (input: Input) =>
    (await onFresh(fault, input, settling, soon)).complaint !== undefined;
  const smallest = await smaller(fault, settling, {
    async shows(input) {
      const wasFresh = server.isFresh;
      const { complaint } = await callWith(fault, input, settling, soon);
      if (complaint === undefined) return false;
      return wasFresh || await showsOnFresh(input);
    },
    renew: () => server.renew(),
    mostTries,
  });
  for (const [index, input] of [...smallest.chain.toReversed().slice(0, mostBack), drawn.input].entries()) {
    const { call, complaint } = await onFresh(fault, input, settling, { limitMs });
    if (complaint === undefined) continue;
    const bound = index > 0 ? "a smaller one did not show it each time" : smallest.bound;
    const breach = breachOf(input, fault, settling);
    const find: FuzzFind = {
      ...baseFind(fault, settling, started),
      ...{ input, message: complaint.message, confirmed: true },
      shrinks: smallest.chain.length - 1,
      ...definedOnly({ bound, breach }),
    };
    if (breach === undefined) delete find.breach;
    const bare = isValid({}) ? undefined : await onFresh(fault, {}, settling, soon);
    if (bare?.complaint !== undefined && breach === undefined) {
      find.message += `\n  {}, which its schema forbids, shows it, too`;
    }
    const test = foundTest(find, limitMs);
    // A fault that a test of one call cannot show is told, but not written as a test.
    if (judge(test, observed(call)).status !== "failed") return find;
    return { ...find, test, yaml: serializeTests([test]) };
  }
  return {
    ...baseFind(fault, settling, started),
    message:
      `${fault.complaint.message}\n  not confirmed: on a fresh server it showed once, and then no more`,
  };
}

type Input = Record<string, unknown>;

/** Makes the input smaller among those that the schema allows, or where the fault needs a violation, among all. */
async function smaller(
  { drawn }: Fault,
  { server, inputs: { plain }, subject: { isValid }, until }: Settling,
  how: { shows(input: Input): Promise<boolean>; renew?(): Promise<void>; mostTries: number },
): Promise<Minimised> {
  const forbidden = !isValid(drawn.input);
  const fromPlain = JSON.stringify(plain) !== JSON.stringify(drawn.input) && await how.shows(plain);
  const allowed = fromPlain || !forbidden ? isValid : () => true;
  const isOver = () => server.now() > until;
  return await minimise(fromPlain ? plain : drawn.input, { ...how, allowed, isOver });
}

function breachOf(input: Input, { drawn }: Fault, { subject: { isValid } }: Settling): string | undefined {
  if (isValid(input)) return undefined;
  const isDrawn = JSON.stringify(input) === JSON.stringify(drawn.input);
  return isDrawn && drawn.breach !== undefined ? drawn.breach : "its schema forbids it";
}

/** Findings are made smaller by calls of whatever server is there, and not confirmed. */
async function settleFinding(fault: Fault, settling: Settling): Promise<FuzzFind> {
  const started = performance.now();
  const find = baseFind(fault, settling, started);
  const soon = { limitMs: settling.limitMs, patient: true };
  if (fault.oracle.name === "schema_not_enforced") return await plainestAccepted(fault, settling, find);
  let { message } = fault.complaint;
  const smallest = await smaller(fault, settling, {
    async shows(input) {
      const { complaint } = await callWith(fault, input, settling, {
        ...soon,
        repeat: fault.oracle.name === "non_determinism",
      });
      if (complaint !== undefined) message = complaint.message;
      return complaint !== undefined;
    },
    mostTries: mostTriesOfFinding,
  });
  const breach = breachOf(smallest.input, fault, settling);
  if (breach === undefined) delete find.breach;
  return {
    ...find,
    ...{ input: smallest.input, message, shrinks: smallest.chain.length - 1 },
    shrinkMs: Math.round(performance.now() - started),
    ...definedOnly({ breach }),
  };
}

/** The example of a tool that accepts what its schema forbids: the gravest of the plainest inputs. */
async function plainestAccepted(fault: Fault, settling: Settling, find: FuzzFind): Promise<FuzzFind> {
  const { subject: { tool }, server, inputs, limitMs } = settling;
  for (const { input, breach, violation } of inputs.forbidden) {
    if (violation === undefined) continue;
    const call = await server.call({ tool, input, valid: false, violation, limitMs, patient: true });
    const complaint = fault.oracle.judge?.(call);
    if (complaint !== undefined) {
      return { ...find, input, message: complaint.message, ...definedOnly({ breach }) };
    }
  }
  return find;
}

interface CallHow {
  limitMs: number;
  patient?: boolean;
  repeat?: boolean;
}

interface Seen {
  call: SeenCall;
  /** The fault that is looked for; absent where it did not show. */
  complaint: OracleViolation | undefined;
  tookMs: number;
}

async function onFresh(fault: Fault, input: Input, settling: Settling, how: CallHow): Promise<Seen> {
  await settling.server.renew();
  return await callWith(fault, input, settling, how);
}

async function callWith(
  fault: Fault,
  input: Input,
  { server, subject }: Settling,
  how: CallHow,
): Promise<Seen> {
  const { tool, isValid } = subject;
  await server.ready();
  const started = server.now();
  const call = await server.call({ tool, input, valid: isValid(input), ...how });
  return { call, complaint: sameFault(fault, call), tookMs: server.now() - started };
}

const observed = ({ tool, outcome, loss, silence, callError, stray }: SeenCall) => ({
  ...{ tool, commands: [], strayOutput: stray },
  ...definedOnly({ outcome, loss, timedOut: silence, callError }),
});
