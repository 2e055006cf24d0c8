import { defineCheck } from "./check.ts";
import { denoComplaints } from "./deno_complaints.ts";

export default defineCheck({
  name: "formatted",
  async run({ root }) {
    const output = await denoComplaints(root, ["fmt", "--check"]);
    if (output === undefined) return [];
    const files = [...output.matchAll(/^from (.*):$/gm)].map(([, path]) => path!.replace(`${root}/`, ""));
    return files.length === 0 ? [output] : files.map((path) => `${path}: is not formatted; run deno fmt`);
  },
});
