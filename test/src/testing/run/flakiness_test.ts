import t from "tap";
import {
  confidenceOf,
  flakinessOf,
  flakinessText,
  suspicion,
} from "../../../../src/testing/run/flakiness.ts";

t.test("confidence is the exact binomial tail, the first failure left out", (t) => {
  const near = (actual: number, expected: number, what: string) =>
    t.ok(Math.abs(actual - expected) < 1e-9, `${what}: ${actual}`);
  near(confidenceOf({ runs: 2, failures: 1 }), 0, "one failure may be chance");
  near(confidenceOf({ runs: 50, failures: 1 }), 0, "also among many runs");
  near(confidenceOf({ runs: 3, failures: 2 }), 0.99 ** 2, "one more failure in two runs");
  near(confidenceOf({ runs: 6, failures: 2 }), 0.99 ** 5, "one more in five");
  const twoOrMore = 1 - 0.99 ** 5 - 5 * 0.01 * 0.99 ** 4;
  near(confidenceOf({ runs: 6, failures: 3 }), 1 - twoOrMore, "two more in five");
  t.end();
});

const rounding = 1e-12;

t.test("confidence grows with failures, shrinks with passes, and stays a probability", (t) => {
  for (let runs = 2; runs <= 300; runs += 7) {
    let before = 0;
    for (let failures = 1; failures < runs; failures++) {
      const now = confidenceOf({ runs, failures });
      if (!(now >= before - rounding && now <= 1)) t.fail(`${failures} of ${runs}: ${now} after ${before}`);
      if (confidenceOf({ runs: runs + 1, failures }) > now + rounding) {
        t.fail(`${failures} of ${runs + 1} is surer`);
      }
      before = now;
    }
  }
  t.pass("for all numbers of runs up to 300");
  t.end();
});

t.test("earlier runs of the same source count for rate and confidence", (t) => {
  const flakiness = flakinessOf({ runs: 3, failures: 1 }, { runs: 9, failures: 4 });
  t.match(flakiness, { attempts: 3, failures: 1, runs: 12, rate: 5 / 12 });
  t.match(
    flakinessText(flakiness),
    "failed 1 of 3 runs; with earlier ones of the same source 5 of 12 (41 %); 99 % sure that it is no chance",
  );
  const once = flakinessText(flakinessOf({ runs: 2, failures: 1 }, { runs: 0, failures: 0 }));
  t.equal(once, "failed 1 of 2 runs; seen once: it may be chance, more runs tell");
  t.end();
});

t.test("a status that earlier runs of the same source contradict is doubted, one that they share is not", (t) => {
  t.match(suspicion("passed", { runs: 20, failures: 3 }), "failed 3 of the last 20 runs");
  t.match(suspicion("failed", { runs: 4, failures: 1 }), "passed 3 of the last 4 runs");
  t.equal(suspicion("passed", { runs: 20, failures: 0 }), undefined);
  t.equal(suspicion("failed", { runs: 5, failures: 5 }), undefined);
  t.equal(suspicion("failed", { runs: 0, failures: 0 }), undefined);
  t.equal(suspicion("skipped", { runs: 5, failures: 2 }), undefined);
  t.end();
});
