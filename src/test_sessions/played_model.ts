/** A playbook served on the loopback, for agents that run in the process of a test. */
import { createActor, type EventObject, fromCallback } from "xstate";
import type { Playbook, PlaybookFailure } from "../../machines/model/playbook.ts";
import { type PlaybookFact, playbookMachine } from "../../machines/playbook_machine.ts";
import type { ModelAnswer } from "../agents/model_api/model_api.ts";
import { serveModel } from "../agents/model_api/serve_model.ts";
import { idOfCall } from "../agents/playbook/call_results.ts";
import { fillTurn } from "../agents/playbook/fill_turn.ts";
import type { SessionFolders } from "../agents/playbook/folder_variables.ts";
import { judgeRequest } from "../agents/playbook/judge_request.ts";
import type { ModelRequest } from "../agents/playbook/model_request.ts";
import { ruleViolations } from "../agents/playbook/rule_violations.ts";
import { errorMessage } from "../core/errors.ts";

export interface PlayedModel {
  /** Base address for agents. */
  url: string;
  /** Requests in the order in which they came. */
  requests: readonly ModelRequest[];
  /** Failures so far, without turns that are left. */
  failures: readonly PlaybookFailure[];
  /** Ends the playbook: turns that are left are failures. */
  end(): readonly PlaybookFailure[];
  close(): Promise<void>;
}

/** Serves a playbook until it is closed. @throws {PthError} `PORT_TAKEN` */
export async function openPlayedModel(playbook: Playbook, folders: SessionFolders): Promise<PlayedModel> {
  const requests: ModelRequest[] = [];
  let ended: readonly PlaybookFailure[] = [];
  const waiting = new Map<string, { request: ModelRequest; answer: (answer: ModelAnswer) => void }>();
  const variables = new Map<number, Record<string, unknown>>();

  const director = createActor(fromCallback<EventObject>(({ receive }) => receive(follow))).start();
  const player = createActor(playbookMachine, { input: { playbook }, parent: director }).start();

  function follow(event: EventObject): void {
    const fact = event as PlaybookFact;
    if (fact.type === "playbook.chose") {
      settle(fact.chosen.requestId, (request) => play(fact.chosen, request));
    } else if (fact.type === "playbook.refused") {
      settle(fact.requestId, () => ({ refused: `playbook: ${fact.message}` }));
    } else if (fact.type === "playbook.passed") settle(fact.requestId, () => ({ turn: { text: "Session" } }));
    else if (fact.type === "playbook.ended") ended = fact.failures;
  }

  function settle(id: string, answerTo: (request: ModelRequest) => ModelAnswer): void {
    const { request, answer } = waiting.get(id)!;
    waiting.delete(id);
    answer(answerTo(request));
  }

  function play(
    { lane: index, turn: at, requestId }: Extract<PlaybookFact, { type: "playbook.chose" }>["chosen"],
    request: ModelRequest,
  ): ModelAnswer {
    const { name, turns } = playbook.lanes[index]!;
    const turn = turns[at]!;
    const place = `lane ${name}, turn ${at + 1}`;
    try {
      const violations = turn.expect === undefined ? [] : ruleViolations(turn.expect, request);
      for (const violation of violations) {
        player.send({ type: "playbook.contradicted", message: `${place}: ${violation}` });
      }
      const filled = fillTurn(turn, request, variables.get(index) ?? { ...folders });
      variables.set(index, filled.variables);
      const { calls = [] } = filled.turn;
      const exchange = Number(requestId);
      return {
        turn: { ...filled.turn, calls: calls.map((call, i) => ({ ...call, id: idOfCall(exchange, i) })) },
      };
    } catch (error) {
      return breakOff(`${place}: ${errorMessage(error)}`);
    }
  }

  /** Ends the playbook for a turn that cannot be played. */
  function breakOff(message: string): ModelAnswer {
    player.send({ type: "playbook.broke", message });
    return { refused: `playbook: ${message}` };
  }

  const server = await serveModel((request) =>
    new Promise((answer) => {
      const id = String(requests.length);
      requests.push(request);
      waiting.set(id, { request, answer });
      try {
        player.send({ type: "playbook.requested", request: judgeRequest(id, request, playbook, false) });
      } catch (error) {
        settle(id, () => breakOff(errorMessage(error)));
      }
    })
  );
  return {
    url: server.url,
    requests,
    get failures() {
      return player.getSnapshot().context.failures;
    },
    end() {
      player.send({ type: "playbook.end" });
      return ended;
    },
    async close() {
      for (const { answer } of waiting.values()) answer({ refused: "the session has ended" });
      await server.close();
      if (player.getSnapshot().status === "active") player.send({ type: "playbook.end" });
      director.stop();
    },
  };
}
