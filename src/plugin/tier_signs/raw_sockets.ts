import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "opens raw sockets",
  tier: 2,
  command: /^(?:tcpdump|tshark|dumpcap|arping|hping3)\b/,
  code: /\b(?:AF_PACKET|PF_PACKET|SOCK_RAW)\b/g,
  module:
    /^(?:raw-socket|net-ping|cap|pcap|scapy|pcapy|pypcap|pnet|socket2-raw|github\.com\/google\/gopacket)(?:[./]|$)/,
});
