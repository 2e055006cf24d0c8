/** `command_expanded` on scripted sessions. */
import t from "tap";
import { judge, sessionOf } from "../session_of.ts";

const asked = (prompt: string, ...texts: string[]) =>
  sessionOf([{ type: "prompt", text: prompt, hooks: [] }], {
    modelInput: texts.map((text) => ({ in: "messages" as const, text })),
  });
const expanded = asked(
  "/shop:report now",
  "<command-message>shop:report</command-message>\n<command-name>/shop:report</command-name>\n\nRead the configuration.",
);

t.test("a command counts whose text the model was told", (t) => {
  t.match(judge("command_expanded", { command: "/shop:report" }, expanded), { pass: true });
  t.match(judge("command_expanded", { command: "/shop:report", pattern: "the configuration" }, expanded), {
    pass: true,
    actual: { matched_text: "the configuration" },
  });
  t.match(judge("command_expanded", { command: "/shop:report", pattern: "the cabinet" }, expanded), {
    pass: false,
    reason: /its text does not match/,
  });
  t.end();
});

t.test("another command, a prompt that was passed on as it is, and nothing at all are told apart", (t) => {
  t.match(judge("command_expanded", { command: "/shop:order" }, expanded), {
    pass: false,
    reason: /the command was "\/shop:report"/,
  });
  t.match(
    judge("command_expanded", { command: "/shop:order" }, asked("/shop:order x", "Hello\n/shop:order x")),
    {
      pass: false,
      reason: /told the prompt as it is: "\/shop:order x"/,
    },
  );
  t.match(judge("command_expanded", { command: "/shop:order" }, asked("go")), {
    pass: false,
    reason: /no command/,
  });
  t.match(judge("command_expanded", { command: "/shop:order" }, sessionOf([])), {
    pass: false,
    reason: /is not known/,
  });
  t.throws(
    () => judge("command_expanded", { command: "shop:order" }, expanded),
    /expected a command: \/name/,
  );
  t.end();
});
