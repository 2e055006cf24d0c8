import t from "tap";
import { readLcov } from "../../../../src/testing/coverage/rust/provide_tools.ts";

/** As llvm-cov 14 wrote it, of a generic function that is compiled for two types. */
const text = `SF:/plugin/src/math.rs
FN:1,_RINvCs1_4demo3addlEB2_
FN:1,_RINvCs1_4demo3addxEB2_
FN:8,_RNvCs1_4demo5never
FNDA:2,_RINvCs1_4demo3addlEB2_
FNDA:1,_RINvCs1_4demo3addxEB2_
FNDA:0,_RNvCs1_4demo5never
FNF:3
FNH:2
DA:1,3
DA:2,0
LF:2
LH:1
end_of_record
SF:/plugin/src/a, b.rs
FN:4,_RNvCs1_4demo4main
FNDA:1,_RNvCs1_4demo4main
DA:4,1
end_of_record
`;

t.test("lines and functions are read file by file, and what is compiled several times adds up", (t) => {
  const files = readLcov(text);
  t.strictSame([...files.keys()], ["/plugin/src/math.rs", "/plugin/src/a, b.rs"]);
  const { lines, functions } = files.get("/plugin/src/math.rs")!;
  t.strictSame([...lines], [[1, 3], [2, 0]]);
  t.strictSame([...functions], [[1, 3], [8, 0]]);
  t.strictSame([...files.get("/plugin/src/a, b.rs")!.functions], [[4, 1]], "a name belongs to its file");
  t.end();
});
