import t from "tap";
import {
  noFilter,
  type PageLocation,
  readAddress,
  writeAddress,
} from "../../../../src/visualizer/page/address.ts";

const nowhere: PageLocation = { tab: "chart", filter: noFilter };

t.test("what is shown comes again from the address", (t) => {
  const place: PageLocation = {
    source: "live-a1",
    at: 12345,
    actor: "x:10",
    event: 12340,
    tab: "events",
    filter: {
      scope: "descendants",
      type: "call -progress",
      text: 'ü & = # "q"',
      since: 0,
      until: 99.5,
      internal: true,
    },
  };
  t.same(readAddress(writeAddress(place)), place);
  t.same(readAddress(writeAddress({ ...nowhere, source: "machines", machine: "pool" })), {
    ...nowhere,
    source: "machines",
    machine: "pool",
  });
  t.end();
});

t.test("defaults are not in the address", (t) => {
  t.equal(writeAddress(nowhere), "#");
  t.equal(writeAddress({ ...nowhere, source: "recording", at: 0 }), "#source=recording&at=0");
  t.end();
});

t.test("an address that makes no sense opens the page all the same", (t) => {
  const hash = "#tab=nonsense&at=minus&event=-3&scope=everything&since=Infinity&internal=yes&other=1";
  t.same(readAddress(hash), nowhere);
  t.same(readAddress(""), nowhere);
  t.same(readAddress("#%E0%A4%A"), nowhere);
  t.end();
});
