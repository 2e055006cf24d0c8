import t from "tap";
import {
  exampleFolder,
  examplePaths,
  hasExample,
  ownFolder,
  withOwnFiles,
} from "../../../../src/testing/example_files/example_paths.ts";

const found = (...inputs: unknown[]) =>
  Object.fromEntries([...examplePaths(inputs)].map(([parent, paths]) => [parent, [...paths]]));

t.test("paths of example files are found wherever an input holds them", (t) => {
  const inputs = [{
    path: "/work/plugin/pth-files/a-1/example.txt",
    more: [{ uri: "file:///data/pth-files/folder" }],
  }];
  t.same(found(...inputs, "pth-files/example.json", "pth-files"), {
    "/work/plugin/": ["a-1/example.txt"],
    "/data/": ["folder"],
    "": ["example.json"],
  });
  t.same(found("cat pth-files/example.txt"), { "": [] }, "a command needs the folder alone");
  t.end();
});

t.test("paths that leave their folder, or hide in it, are none", (t) => {
  t.same(found("/data/../etc/pth-files/x", "pth-files/../../x", "a-pth-files/x", "pth-files/.git/hooks/x"), {
    "": [],
  });
  t.same(found("pth-files-1/x", "/data/pth-files\n/x", 1, null, { a: { b: "example.txt" } }), {});
  t.end();
});

t.test("each test of a tool that changes files has its own", (t) => {
  const own = `${ownFolder(exampleFolder, "edit file")}/example.txt`;
  const input = { path: own, list: [own, `pth-files/example.txt`], count: 1 };
  t.same(withOwnFiles(input, "edit file", "3"), {
    path: "pth-files/edit-file-3/example.txt",
    list: ["pth-files/edit-file-3/example.txt", "pth-files/example.txt"],
    count: 1,
  });
  t.equal(withOwnFiles(input, "edit", "3"), input, "another tool's stay");
  t.end();
});

t.test("there are examples of many kinds, and not of all", (t) => {
  for (const extension of ["txt", "json", "csv", "md", "png", "pdf", "xlsx", "db", "py"]) {
    t.ok(hasExample(extension));
  }
  t.notOk(hasExample("pptx"));
  t.end();
});
