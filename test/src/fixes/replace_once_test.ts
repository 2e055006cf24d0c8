import { Buffer } from "node:buffer";
import t from "tap";
import { contentFor, replaceOnce } from "../../../src/fixes/replace_once.ts";

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const replaced = (text: string, find: string, replace: string) =>
  Buffer.from(replaceOnce(bytes(text), find, replace)).toString();

t.test("a text that occurs once is replaced, and nothing else", (t) => {
  t.equal(replaced("a b c", "b", "B"), "a B c");
  t.equal(replaced("a\nb\nc\n", "b\nc", "x"), "a\nx\n");
  t.equal(replaced("cost: $1", "$1", "$&$2"), "cost: $&$2", "what looks like a pattern is text");
  t.equal(replaced("\ufeffü=1\n", "ü=1", "ü=2"), "\ufeffü=2\n", "BOM and letters beyond ASCII stay");
  t.equal(replaced("a b", "b", ""), "a ");
  t.end();
});

t.test("text in no valid UTF-8 keeps its other bytes", (t) => {
  const latin = new Uint8Array([0xe4, 0x20, 0x61, 0x0a]);
  t.strictSame([...replaceOnce(latin, "a", "b")], [0xe4, 0x20, 0x62, 0x0a]);
  t.end();
});

t.test("Windows line ends are kept, whatever the caller writes", (t) => {
  t.equal(replaced("a\r\nb\r\nc\r\n", "a\nb", "x\ny"), "x\r\ny\r\nc\r\n");
  t.equal(replaced("a\r\nb\r\n", "b", "b\nc"), "a\r\nb\r\nc\r\n");
  t.equal(replaced("a\r\nb\r\n", "a\r\nb", "c\r\nd"), "c\r\nd\r\n");
  t.equal(replaced("a\nb\n", "a\r\nb", "c\r\nd"), "c\nd\n", "and plain ones, too");
  t.equal(replaced("a\r\nb\nc\n", "b\nc", "d\ne"), "a\r\nd\ne\n", "in a mixed file text is taken as it is");
  t.equal(Buffer.from(contentFor(bytes("a\r\nb\r\n"), "x\ny\n")).toString(), "x\r\ny\r\n");
  t.equal(Buffer.from(contentFor(undefined, "x\ny\n")).toString(), "x\ny\n");
  t.end();
});

t.test("a text that does not occur is told with the lines that come near", (t) => {
  const file = "import x\n\nfunction add(a, b) {\n  return a - b;\n}\n";
  t.throws(() => replaced(file, "function add(a,b) {", ""), {
    message: /occurs 0 times[^]*differs only in white space from line 3:\n {2}3: function add\(a, b\) \{/,
  });
  t.throws(() => replaced(file, "  return a + b;", ""), { message: /Nearest[^]*4: {3}return a - b;/ });
  t.throws(() => replaced(file, "class Whatever extends Nothing", ""), { message: /No line comes near/ });
  t.end();
});

t.test("a text that occurs more than once is refused with its lines", (t) => {
  t.throws(() => replaced("x\ny\nx\n", "x", "z"), { message: /occurs 2 times \(lines 1, 3\)/ });
  t.throws(() => replaced("aaa", "aa", "b"), { message: /occurs 2 times/ }, "overlapping ones count");
  t.throws(() => replaced("a", "", "b"), { message: /empty/ });
  t.throws(() => replaced("a", "a", "a"), { message: /the same/ });
  t.throws(() => replaceOnce(new Uint8Array([1, 0, 2]), "a", "b"), { message: /binary/ });
  t.end();
});
