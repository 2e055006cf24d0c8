import t from "tap";
import { type AnyEventObject, createActor, createMachine } from "xstate";
import { playbookMachine } from "../../machines/mod.ts";
import { fitsGlob } from "../../machines/playbook/fits_glob.ts";
import type { JudgedRequest, Lane, Turn } from "../../machines/model/playbook.ts";

/** Plays a playbook and answers what each request came to: "lane.turn", or why it was refused. */
function play(lanes: Lane[], upstream = false) {
  const facts: AnyEventObject[] = [];
  const parent = createActor(createMachine({
    invoke: { id: "playbook", src: playbookMachine, input: { playbook: { lanes }, upstream } },
    on: { "playbook.*": { actions: ({ event }) => void facts.push(event) } },
  }));
  parent.start();
  const child = parent.getSnapshot().children["playbook"]!;
  let requests = 0;
  return {
    ask(request: Partial<JudgedRequest> = {}): string {
      const requestId = String(++requests);
      child.send({
        type: "playbook.requested",
        request: { requestId, lanes: [], holds: [], summary: "a request", ...request },
      });
      const fact = facts.at(-1)!;
      t.equal(fact["requestId"] ?? fact["chosen"]?.requestId, requestId, "it is answered");
      if (fact.type === "playbook.chose") return `${fact["chosen"].lane}.${fact["chosen"].turn}`;
      return fact.type === "playbook.refused" ? fact["message"] : fact.type;
    },
    send: (event: AnyEventObject) => child.send(event),
    end() {
      child.send({ type: "playbook.end" });
      const { failures, played } = facts.at(-1)!;
      return { failures: failures.map(({ message }: { message: string }) => message), played };
    },
  };
}

const said = (text: string, more: Partial<Turn> = {}): Turn => ({ text, ...more });
const main = (...turns: Turn[]): Lane => ({ name: "main", turns });
const rule = { prompt: "x" };

t.test("turns are played in order; the request after the last one is refused, and all after it", (t) => {
  const playbook = play([main(said("a"), said("b"))]);
  t.equal(playbook.ask(), "0.0");
  t.equal(playbook.ask(), "0.1");
  const dry = "lane main has played all of its 2 turns, and is asked for one more: a request";
  t.equal(playbook.ask(), dry);
  t.equal(playbook.ask(), dry);
  t.strictSame(playbook.end(), { failures: [dry], played: 2 });
  t.end();
});

t.test("turns that were not played are failures, but for optional and conditional ones", (t) => {
  const playbook = play([
    main(said("a"), said("b", { optional: true }), said("c", { when: rule }), said("d")),
  ]);
  playbook.ask();
  t.strictSame(playbook.end().failures, ["lane main: turn 4 not played"]);
  t.end();
});

t.test("a conditional turn is left out unless its condition holds", (t) => {
  const turns = [said("a", { when: rule }), said("b")];
  t.equal(play([main(...turns)]).ask(), "0.1");
  t.equal(play([main(...turns)]).ask({ holds: ["0.0.when"] }), "0.0");
  t.end();
});

t.test("a turn that waits for its request lets others go before it", (t) => {
  const playbook = play([main(said("a", { match: rule }), said("b"), said("c"))]);
  t.equal(playbook.ask(), "0.1");
  t.equal(playbook.ask({ holds: ["0.0.match"] }), "0.0");
  t.equal(playbook.ask(), "0.2");
  t.strictSame(playbook.end().failures, []);
  const none = play([main(said("a", { match: rule }))]);
  t.equal(none.ask(), "no turn of lane main fits (1 wait for another request): a request");
  t.end();
});

t.test("a repeated turn is played until its condition holds, and no more often than it may be", (t) => {
  const turns = [said("a", { repeat: { until: rule, at_most: 3 } }), said("b")];
  const playbook = play([main(...turns)]);
  t.equal(playbook.ask(), "0.0");
  t.equal(playbook.ask(), "0.0");
  t.equal(playbook.ask({ holds: ["0.0.until"] }), "0.1");
  const endless = play([main(...turns)]);
  for (let time = 0; time < 3; time++) endless.ask();
  t.match(endless.ask(), "turn 1 of lane main was played 3 times, and what it repeats for has not come");
  t.end();
});

t.test("subagents get lanes by their type or by their order, and each a lane of its own", (t) => {
  const playbook = play([
    main(said("a")),
    { name: "second", subagent: 2, turns: [said("b")] },
    { name: "finder", subagent: "shop:*", turns: [said("c")] },
    { name: "finder again", subagent: "shop:*", turns: [said("d")] },
  ]);
  for (const prompt of ["find hats", "find coats", "find shoes"]) {
    playbook.send({ type: "playbook.spawned", spawn: { type: "shop:finder", prompt } });
  }
  playbook.ask();
  t.equal(playbook.ask({ agent: "x", opening: "Context. find coats" }), "2.0");
  t.equal(playbook.ask({ agent: "y", opening: "unknown" }), "1.0", "the second");
  t.equal(playbook.ask({ agent: "z", opening: "find hats" }), "3.0");
  const left = "the playbook has no lane left for subagent 4 (shop:finder): a request";
  t.equal(playbook.ask({ agent: "w", opening: "find shoes" }), left);
  t.end();
});

t.test("title and summary are passed without a lane, and played with one", (t) => {
  const playbook = play([main(said("a")), { name: "title", side: "title", turns: [said("b")] }]);
  t.equal(playbook.ask({ side: "title" }), "1.0");
  t.equal(playbook.ask({ side: "summary" }), "playbook.passed");
  t.equal(playbook.ask(), "0.0");
  t.end();
});

t.test("a lane that matches takes a request, whoever asks; without any lane it is refused", (t) => {
  const playbook = play([{ name: "judge", match: rule, turns: [said("a")] }]);
  t.equal(playbook.ask({ lanes: [0], agent: "x" }), "0.0");
  t.equal(playbook.ask(), "the playbook has no main lane, and none that matches: a request");
  t.end();
});

t.test("what a turn expects is a failure at the end; a turn that cannot be filled ends the playbook", (t) => {
  const playbook = play([main(said("a"), said("b"))]);
  playbook.ask();
  playbook.send({ type: "playbook.contradicted", message: "no tool" });
  t.equal(playbook.ask(), "0.1");
  playbook.send({ type: "playbook.broke", message: "cannot bind" });
  t.equal(playbook.ask(), "cannot bind");
  t.strictSame(playbook.end().failures, ["no tool", "cannot bind"]);
  t.end();
});

t.test("a glob fits the whole text, in time that does not explode", (t) => {
  for (const [glob, text] of [["a*c", "abbc"], ["*", ""], ["a?c", "abc"], ["**x*", "xx"]] as const) {
    t.ok(fitsGlob(glob, text));
  }
  for (const [glob, text] of [["a*c", "abb"], ["?", ""], ["abc", "abcd"], ["a.c", "abc"]] as const) {
    t.notOk(fitsGlob(glob, text));
  }
  t.notOk(fitsGlob("*a".repeat(50), "a".repeat(49)));
  t.notOk(fitsGlob(`${"*a".repeat(50)}b`, "a".repeat(5000)));
  t.end();
});

t.test("where a real model answers, each request is passed on until one cannot be", (t) => {
  const playbook = play([], true);
  t.equal(playbook.ask(), "playbook.forwarded");
  t.equal(playbook.ask({ agent: "a", opening: "go" }), "playbook.forwarded");
  playbook.send({ type: "playbook.broke", message: "it cannot be reached", upstream: true });
  t.equal(playbook.ask(), "it cannot be reached");
  t.strictSame(playbook.end(), { failures: ["it cannot be reached"], played: 2 });
  t.end();
});
