import t from "tap";
import { shareMethod } from "../../../../../src/runtimes/vm/sharing/share_method.ts";

t.test("the way of sharing is one of those that there are", (t) => {
  t.equal(shareMethod("virtiofs"), "virtiofs");
  t.equal(shareMethod("sync"), "sync");
  t.throws(() => shareMethod("nfs"), {
    code: "INVALID_INPUT",
    message: /PTH_VM_SHARE wants: "nfs"/,
    context: { next: ["Set it to one of: sync, virtiofs"] },
  });
  t.end();
});
