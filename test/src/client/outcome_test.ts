import t from "tap";
import { buildOutcome } from "../../../src/client/outcome.ts";
import type { PeerResponse } from "../../../src/client/rpc_peer.ts";

const answer = (parts: Partial<PeerResponse>): PeerResponse => ({
  problems: [],
  raw: parts,
  durationMs: 1,
  ...parts,
});
const sizeSchema = { type: "object", properties: { size: { type: "integer" } }, required: ["size"] };

t.test("text parts are joined by a line feed, other parts stay in content", (t) => {
  const content = [
    { type: "text", text: "one" },
    { type: "image", data: "aGk=", mimeType: "image/png" },
    { type: "text", text: "two" },
  ];
  const outcome = buildOutcome(answer({ result: { content } }), undefined);
  t.match(outcome, { kind: "result", text: "one\ntwo", isError: false, violations: [], content });
  t.end();
});

t.test("a JSON-RPC error is an outcome with code and message", (t) => {
  const outcome = buildOutcome(answer({ error: { code: -32602, message: "bad" } }), sizeSchema);
  t.match(outcome, { kind: "rpc_error", isError: true, code: -32602, text: "bad", violations: [] });
  t.end();
});

t.test("a result without a content array is a violation, whatever is there", (t) => {
  for (const result of [{}, { content: "text" }, { content: null }, "text", null, 3]) {
    const { violations } = buildOutcome(answer({ result }), undefined);
    t.same(violations.map((violation) => violation.kind), ["no_content_array"], JSON.stringify(result));
  }
  t.end();
});

t.test("structured content is held against the tool's outputSchema", (t) => {
  const judge = (result: unknown) => buildOutcome(answer({ result }), sizeSchema).violations;
  t.same(judge({ content: [], structuredContent: { size: 1 } }), []);
  t.match(judge({ content: [], structuredContent: { size: "1" } }), [{
    kind: "output_schema",
    message: /size.*integer/,
  }]);
  t.match(judge({ content: [] }), [{ kind: "output_schema", message: /no structuredContent/ }]);
  t.end();
});

t.test("an error result need not follow the outputSchema", (t) => {
  const outcome = buildOutcome(answer({ result: { content: [], isError: true } }), sizeSchema);
  t.same(outcome.violations, []);
  t.equal(outcome.isError, true);
  t.end();
});

t.test("an outputSchema that does not compile judges nothing", (t) => {
  const outcome = buildOutcome(answer({ result: { content: [], structuredContent: {} } }), {
    type: "nonsense",
  });
  t.same(outcome.violations, []);
  t.end();
});

t.test("an answer that cannot be used is no success", (t) => {
  const outcome = buildOutcome(answer({ problems: ["neither"], raw: { id: 1 } }), undefined);
  t.match(outcome, {
    isError: true,
    raw: { id: 1 },
    violations: [{ kind: "malformed", message: "neither" }],
  });
  t.end();
});

t.test("a request for input that was not offered is a breach", (t) => {
  const outcome = buildOutcome(
    answer({ result: { resultType: "input_required", inputRequests: {} } }),
    undefined,
  );
  t.match(outcome.violations, [{ kind: "malformed", message: /asks for input/ }]);
  t.end();
});
