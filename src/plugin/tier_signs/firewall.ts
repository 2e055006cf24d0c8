import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "changes or reads firewall rules",
  tier: 3,
  command:
    /^(?:nft|iptables|ip6tables|iptables-(?:save|restore|nft|legacy)|ip6tables-(?:save|restore)|ebtables|arptables|ufw|firewall-cmd|ipset|conntrack|fail2ban-client)\b/,
  module:
    /^(?:nftables|iptc|pyptables|github\.com\/google\/nftables|github\.com\/coreos\/go-iptables.*|rustables|nftnl)$/,
});
