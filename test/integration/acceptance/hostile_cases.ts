/** The behaviours of `test/fixtures/hostile_server`, and what `pth run` makes of each. */
export interface HostileCase {
  behaviour: string;
  /** Exit code: 0 where the server harms nobody, 1 where a test fails, 3 where it cannot be loaded. */
  code: 0 | 1 | 3;
  /** Each must be in what the run says. */
  says: (string | RegExp)[];
  never?: (string | RegExp)[];
  args?: string[];
  /** One call of `act` shows it; else the generated tests run, with the checks of the server as a whole. */
  calls?: boolean;
  /** For PTH's own limit of a start. */
  waits?: boolean;
}

type More = Omit<HostileCase, "behaviour" | "code" | "says">;

const refused = (behaviour: string, says: string | RegExp, more: More = {}): HostileCase => ({
  ...more,
  behaviour,
  code: 3,
  says: [says],
});
/**
 * For most schemas and names: of the checks of the server as a whole, only that of its list. All others run with some of
 * each kind: each starts a server, which lists such tools once more.
 */
const listOnly = { args: ["--grep", "^(?!server - (?!lists tools))"] };
/** `tools/list` fails, with what is wrong with the schema of `act`; the healthy tool is tested all the same. */
const badList = (behaviour: string, ...says: (string | RegExp)[]): HostileCase => ({
  ...listOnly,
  behaviour,
  code: 1,
  says: ["tools/list is malformed", ...says],
});
const runsAway = (behaviour: string, pattern: string, place: string): HostileCase =>
  badList(
    behaviour,
    `the pattern ${pattern} of the schema, at ${place}, runs away`,
    /not done within [\d.]+ s/,
  );
/** Inputs for it are made once more where the server is to end without leaving anything. */
const badToTheEnd = (...bad: Parameters<typeof badList>): HostileCase => ({ ...badList(...bad), args: [] });
const fails = (behaviour: string, ...says: (string | RegExp)[]): HostileCase => ({
  behaviour,
  code: 1,
  says,
  calls: true,
});
const harmless = (
  behaviour: string,
  says: string | RegExp = /\d passed, 0 failed/,
  more: More = {},
): HostileCase => ({
  ...more,
  behaviour,
  code: 0,
  says: [says],
});

const noInput = /no-example-input: act gets no input tests/;
const levels = "it has over 500 nested levels";
const silent = /act gave no answer within \d s; the server still answers ping/;
const stuck = /act gave no answer within \d s; the server no longer answers ping either/;

export const hostileCases: readonly HostileCase[] = [
  // schemas of inputs
  { ...runsAway("pattern_runs_away", "(x+x+)+y", "properties/a/pattern"), args: [] },
  runsAway("pattern_hates_default", "^(a+)+$", "properties/a/pattern"),
  runsAway("pattern_of_names", "^(a|aa)+$", "propertyNames/pattern"),
  harmless("pattern_of_a_billion", noInput, listOnly),
  harmless("pattern_doubles", noInput, listOnly),
  badList("pattern_invalid", "act: inputSchema: Invalid regular expression"),
  badList("properties_10000", /act: inputSchema: .* over 5,000 objects and lists, at properties\//),
  harmless("properties_1000", undefined, listOnly),
  badList("patterns_5000", "over 500 patterns"),
  badToTheEnd("schema_deep", "over 250 nested levels, at properties/a/properties"),
  badList("schema_long", "over 1,000,000 characters, at properties/a/description"),
  badList("enum_huge", "over 100,000 members, at properties/a/enum"),
  badToTheEnd("refs_self", "act: inputSchema: its references or its levels have no end"),
  harmless("refs_ring", noInput, listOnly),
  harmless("refs_double", noInput, listOnly),
  badList("refs_outside", "can't resolve reference http://127.0.0.1:1/schema.json"),
  badToTheEnd("lists_of_lists", /inputs for it are not done within/),
  badList("schema_of_wrong_kinds", "schema is invalid"),
  badToTheEnd("schema_null", "act: inputSchema: is no object: null"),
  harmless("schema_of_prototypes", undefined, listOnly),
  harmless("length_of_a_billion", noInput, listOnly),
  // lists of tools
  refused("cursor_endless", "Cannot list tools: the pages never end: there are over 1000"),
  refused("cursor_same", 'the pages never end: cursor "again" came again'),
  refused("cursor_long", /the pages never end: cursor "c+…/),
  refused("page_huge", "one line exceeds 67108864 bytes"),
  refused("pages_large", "its pages have over 67108864 bytes together"),
  refused("pages_slow", /Cannot list tools: \d+ pages so far, and more than 60 s for all/, { waits: true }),
  refused("drip", /Cannot list tools: no answer within (?:5\d|60) s/, { waits: true }),
  refused("list_deep", levels),
  refused("list_error", "Cannot list tools: the server answered: no no"),
  refused("list_is_object", '"tools" is not an array'),
  refused("list_of_nulls", "tool 0 has no name"),
  harmless("tools_5000", /tests-left-out: only 300 input tests .* a higher limit/, {
    args: ["--max-tests", "300"],
  }),
  refused("tools_30000", "over 20000 tools"),
  {
    behaviour: "tools_run_away",
    code: 1,
    says: [
      "tool_0: inputSchema: inputs for it are not done",
      /9 tools got no input tests|schema-out-of-time/,
    ],
  },
  badList("tools_twice", "a: name: 3 tools have it"),
  harmless("name_bidi", "safe\\u202Eelif_eteled\\u202C"),
  harmless("name_escapes", undefined, listOnly),
  refused("name_long", "the name of tool 0 has 1000000 characters, over 1000"),
  refused("dies_at_list", "the server has exited: exited with 9"),
  refused("never_lists", /Cannot list tools: no answer within (?:5\d|60) s/, { waits: true }),
  // the handshake
  refused("never_initializes", /Cannot start plugin: no answer within (?:5\d|60) s/, { waits: true }),
  refused("initialize_deep", levels),
  refused("initialize_version", "unknown protocol revision 1999-01-01\\u202E"),
  refused("initialize_list", "lacks protocolVersion or serverInfo"),
  harmless("info_long", /Server +(?:\\u202E)+…/, { calls: true }),
  harmless("instructions_long", /1 passed/, { calls: true }),
  refused("half_a_line", "exited with 0 before initialize"),
  { behaviour: "not_utf8", code: 1, says: ["the server wrote 1 line on stdout that is no JSON-RPC"] },
  // answers
  fails(
    "output_pattern",
    /cannot be checked, .* the pattern \^\(a\+\)\+\$ of the schema, at properties\/word\/pattern/,
  ),
  fails("output_unique", /act: \/ cannot be checked, that is not done within/),
  fails("output_wrong_100000", "/list/0 must be string", "… and 99950 more violations"),
  harmless("output_refs", /1 passed/, { calls: true }),
  badList("output_schema_huge", "act: outputSchema: ", "over 5,000 objects and lists"),
  fails("answer_deep", levels),
  fails("answer_deep_600", levels),
  fails("answer_wide", "it has over 1,000,000 members"),
  harmless("answer_long", /1 passed|1 skipped/, { calls: true }),
  fails("answer_overlong", /one line exceeds 67108864 bytes|no answer within/),
  fails("content_texts", "content[0] is a string, not an object"),
  fails("content_nulls", "content[0] is null, not an object"),
  fails("content_unknown", 'content[0] has the unknown type "video"'),
  fails("content_without_text", 'its "text" is missing'),
  fails("content_text_is_number", 'its "text" is no string'),
  fails("content_without_type", 'content[0] has no "type"'),
  fails("content_is_object", '"content" is object, not an array'),
  fails("content_many", "… and more such items"),
  fails("answer_none", silent),
  fails("answer_to_nobody", silent),
  fails("answer_both", "the answer has both a result and an error"),
  harmless("answer_twice", /1 passed/, { calls: true }),
  fails("error_is_text", "the error is not an object"),
  harmless("error_long", /1 skipped/, { calls: true }),
  fails("answer_bidi", "\\u202Egnp.exe\\u2066"),
  fails("answer_escapes", "\\u001b]0;owned\\u0007x is not a function"),
  harmless("floods_progress", /1 passed|1 skipped/, { calls: true }),
  harmless("floods_requests", /1 passed/, { calls: true }),
  harmless("batch_huge", /1 passed/, { calls: true }),
  fails("asks_for_input", "the result asks for input that this client does not offer"),
  fails("dies_on_call", "act ended the server: it exited with 7"),
  fails("blocks_on_call", stuck),
  fails("stops_itself", stuck),
  { behaviour: "leaves_children", code: 1, says: ["server ended but left processes running"] },
  // streams and the process itself
  { behaviour: "clings", code: 1, says: ["it took SIGTERM, and then SIGKILL to end it"] },
  harmless("floods_stderr", /1 passed/, { calls: true }),
  fails("floods_stdout", "lines on stdout that no MCP client can read"),
  harmless("floods_notifications", /1 passed/, { calls: true }),
  harmless("none"),
];
