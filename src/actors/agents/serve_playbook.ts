/** Slot `agent_session.serve`: the model on the loopback, whose turns the playbook chooses or a real model gives. */
import { type EventObject, fromCallback } from "xstate";
import type { ModelExchange, UpstreamAddress } from "../../../machines/model/agent_session.ts";
import type { SidePurpose, Turn } from "../../../machines/model/playbook.ts";
import type { PlaybookFact } from "../../../machines/playbook_machine.ts";
import type { AgentWorkInput } from "../../../machines/agent_session/agent_session_setup.ts";
import type { AgentSessionEvent } from "../../../machines/playbook/agent_session_event.ts";
import { agentNamed } from "../../agents/adapters/agents.ts";
import type { ModelAnswer } from "../../agents/model_api/model_api.ts";
import { openUpstream, type Upstream } from "../../agents/model_api/upstream.ts";
import { idOfCall } from "../../agents/playbook/call_results.ts";
import { fillTurn } from "../../agents/playbook/fill_turn.ts";
import { judgeRequest } from "../../agents/playbook/judge_request.ts";
import type { ModelRequest } from "../../agents/playbook/model_request.ts";
import { ruleViolations } from "../../agents/playbook/rule_violations.ts";
import { RequestImages } from "../../agents/recording/request_images.ts";
import { SessionRecorder } from "../../agents/recording/session_recorder.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { oneLine } from "../../core/text.ts";
import { readEnv } from "../../platform/host.ts";
import { type GetSession, toPublicError } from "../promise_actor.ts";
import type { SessionResources } from "../session_resources.ts";
import { agentFolders } from "./agent_folders.ts";
import type { AgentLogs } from "./agent_logs.ts";
import { ModelInputs } from "./model_inputs.ts";
import { openModel } from "./open_model.ts";

/** Exchanges that are kept; an agent may ask without end. */
const mostExchanges = 20_000;

interface Waiting {
  request: ModelRequest;
  askedAt: number;
  answer: (answer: ModelAnswer) => void;
  /** Purpose of a call that the agent makes by itself. */
  side?: SidePurpose | undefined;
}

/** Answers to calls that agents make by themselves, where the playbook has no lane for them. */
const sideTexts = { title: "Session", summary: "The conversation went on as planned." } as const;

export const servePlaybook = (stage: GetSession, logs: AgentLogs) =>
  fromCallback<EventObject, AgentWorkInput>(
    ({ input: { requestId, run }, sendBack, receive }) => {
      const { agent, playbook, upstream: address, folder: name } = run;
      const send = (event: AgentSessionEvent) => sendBack(event);
      const live = stage();
      const upstream = address === undefined
        ? undefined
        : Promise.resolve().then(() => reachUpstream(address, live));
      const log = logs.of(requestId);
      const { exchanges, results } = log;
      log.folders = agentFolders(live, name);
      const { folder: _, ...folders } = log.folders;
      if (run.keepsModelInput === true) log.modelInputs = new ModelInputs();
      if (upstream !== undefined) log.recorder = new SessionRecorder(log.folders);
      else if (playbook.recorded !== undefined) {
        log.replayed = { images: new RequestImages(log.folders), came: new Map() };
      }
      const { sideCalls, transcript } = agentNamed(agent).abilities;
      const report = live.progress.messages("agent");
      const waiting = new Map<string, Waiting>();
      const variables = new Map<number, Record<string, unknown>>();
      let requests = 0;
      let noted = 0;
      let stopped = false;

      const answer = (request: ModelRequest): Promise<ModelAnswer> =>
        new Promise((resolve) => {
          const id = `request-${++requests}`;
          const askedAt = Date.now();
          waiting.set(id, { request, askedAt, answer: resolve });
          if (!transcript) results.asked(request);
          log.modelInputs?.hear(request);
          try {
            const judged = judgeRequest(id, request, playbook, sideCalls);
            waiting.set(id, { request, askedAt, answer: resolve, side: judged.side });
            send({ type: "model.requested", request: judged });
          } catch (error) {
            send({ type: "model.broke", message: errorMessage(error) });
            refuse(id, errorMessage(error));
          }
        });

      const take = (id: string): Waiting => {
        const found = waiting.get(id)!;
        waiting.delete(id);
        return found;
      };
      const note = ({ request, askedAt }: Waiting, rest: Partial<ModelExchange>) => {
        const { agent } = request;
        const exchange = {
          ...(agent === undefined ? {} : { agent }),
          tools: request.tools.map(({ name }) => name),
          calls: [],
          askedAt,
          answeredAt: Date.now(),
          ...rest,
        };
        noted++;
        if (exchanges.length < mostExchanges) exchanges.push(exchange);
        report(exchangeText(exchange));
      };

      function play({ chosen }: Extract<PlaybookFact, { type: "playbook.chose" }>): void {
        const asked = take(chosen.requestId);
        const { name, turns } = playbook.lanes[chosen.lane]!;
        const turn = turns[chosen.turn]!;
        const place = `lane ${name}, turn ${chosen.turn + 1}`;
        try {
          const violations = turn.expect === undefined ? [] : ruleViolations(turn.expect, asked.request);
          for (const violation of violations) {
            send({ type: "model.contradicted", message: `${place}: ${violation}` });
          }
          notice(turn, place, name, chosen.time, asked.request);
          const filled = fillTurn(turn, asked.request, variables.get(chosen.lane) ?? folders);
          variables.set(chosen.lane, filled.variables);
          const { text, thinking, calls = [], error, usage } = filled.turn;
          for (const { input = {} } of calls) {
            const { subagent_type: type, prompt } = input;
            if (typeof type === "string" && typeof prompt === "string") {
              send({ type: "model.spawned", spawn: { type, prompt } });
            }
          }
          const made = calls.map((call, index) => ({ ...call, id: idOfCall(noted, index) }));
          if (error === undefined && !transcript) results.called(asked.request.agent, made);
          note(asked, {
            lane: name,
            ...(text === undefined ? {} : { text }),
            ...(thinking === undefined ? {} : { thinking }),
            ...(error === undefined ? {} : { error: errorText(error) }),
            ...(usage === undefined ? {} : { usage }),
            calls: error?.stream === undefined ? calls.map(({ tool, input = {} }) => ({ tool, input })) : [],
          });
          asked.answer({ turn: { ...filled.turn, calls: made } });
        } catch (error) {
          const message = `${place}: ${errorMessage(error)}`;
          send({ type: "model.broke", message });
          note(asked, { refused: message });
          asked.answer({ refused: `playbook: ${message}` });
        }
      }

      /** Keeps what a request was like that the turn has recorded; of repetitions the first. */
      function notice(
        { request: name }: Turn,
        place: string,
        lane: string,
        time: number,
        request: ModelRequest,
      ): void {
        const image = log.replayed?.images.take(lane, request);
        if (image !== undefined && name !== undefined && time === 1) {
          log.replayed?.came.set(name, { ...image, place });
        }
      }

      /** Has the real model answer. */
      function forward(id: string, to: Upstream): void {
        const asked = take(id);
        asked.answer({
          passOn: {
            upstream: to,
            heard(given) {
              if (stopped) return;
              // Some models repeat the key in their errors.
              const answer = live.secrets.redact.value(given);
              if ("failed" in answer) {
                send({ type: "model.broke", message: answer.failed, upstream: true });
                return note(asked, { refused: answer.failed });
              }
              const { text, thinking, calls = [], error, usage } = answer.turn;
              // An answer that broke off has cost what came of it.
              if (error?.status === undefined) send({ type: "model.used", usage });
              const made = calls.map(({ tool, id: sent }, index) => ({
                id: idOfCall(noted, index),
                tool,
                ...(sent === undefined ? {} : { sent }),
              }));
              if (!transcript) results.called(asked.request.agent, made);
              const lane = log.recorder!.add(asked.request, answer.turn, answer.notes, asked.side);
              note(asked, {
                lane,
                ...(text === undefined ? {} : { text }),
                ...(thinking === undefined ? {} : { thinking }),
                ...(error === undefined ? {} : { error: errorText(error) }),
                ...(usage === undefined ? {} : { usage }),
                calls: error === undefined ? calls.map(({ tool, input = {} }) => ({ tool, input })) : [],
              });
            },
          },
        });
      }

      function refuse(id: string, message: string): void {
        const asked = take(id);
        note(asked, { refused: message });
        asked.answer({ refused: `playbook: ${message}` });
      }

      receive((event) => {
        const fact = event as PlaybookFact;
        if (fact.type === "playbook.chose") play(fact);
        else if (fact.type === "playbook.forwarded") {
          void upstream!.then((to) => forward(fact.requestId, to));
        } else if (fact.type === "playbook.refused") refuse(fact.requestId, fact.message);
        else if (fact.type === "playbook.passed") {
          const asked = take(fact.requestId);
          const text = sideTexts[fact.side];
          note(asked, { lane: fact.side, text });
          asked.answer({ turn: { text } });
        }
      });

      const fail = (cause: unknown) =>
        toPublicError(live, cause).catch((error: unknown) =>
          stopped ? undefined : send({ type: "model.failed", error })
        );
      const stop = new AbortController();
      // A key that is not there is an error before anything starts.
      const opened = Promise.resolve(upstream).then(() =>
        openModel(answer, live.environment.require(), stop.signal)
      );
      opened.then(({ url, lost }) => {
        if (stopped) return;
        send({ type: "model.listening", url });
        void lost.then(fail);
      }, fail);
      return () => {
        stopped = true;
        stop.abort();
        for (const { answer } of waiting.values()) answer({ refused: "the session has ended" });
        logs.forget(requestId);
        // A server that could not open has nothing to close, and was reported.
        live.tasks.track(opened.then((server) => server.close(), () => {}));
      };
    },
  );

/** The real model, with its key, which is hidden from now on. */
function reachUpstream({ url, key: name }: UpstreamAddress, live: SessionResources): Upstream {
  const key = name === undefined ? undefined : readEnv(name)?.trim();
  if (name !== undefined && (key === undefined || key === "")) {
    throw new PthError("INVALID_INPUT", `Cannot pass requests on: ${name} is not in PTH's environment`, {
      next: [`Set ${name} to the key of the upstream`],
    });
  }
  if (key !== undefined) live.secrets.hide(key);
  return openUpstream(url, key);
}

const errorText = (
  { status, stream }: { status?: number | undefined; stream?: string | undefined },
): string => status === undefined ? `stream ${stream}` : `status ${status}`;

/** An exchange in one line. */
function exchangeText({ lane = "?", text, calls, error, refused }: ModelExchange): string {
  const said = [
    ...(refused === undefined ? [] : [`refused: ${refused}`]),
    ...(error === undefined ? [] : [error]),
    ...(text === undefined ? [] : [oneLine(text, 100)]),
    ...calls.map(({ tool, input }) => `${tool} ${oneLine(JSON.stringify(input), 100)}`),
  ];
  return `${lane}: ${said.join("; ")}`;
}
