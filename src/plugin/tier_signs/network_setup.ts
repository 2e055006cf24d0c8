import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "sets up the network",
  tier: 3,
  command:
    /^(?:ip (?:-\S+ )*(?:link|l|route|r|addr|address|a|rule|neigh|tunnel|tuntap) (?:add|set|del|delete|change|replace|flush)\b|ifconfig \S+ (?:up|down|[\d.]+)|route (?:add|del)\b|netplan (?:apply|try|set|generate)\b|nmcli (?:\S+ )*(?:add|up|down|modify|delete|connect|disconnect|on|off)\b|tc (?:qdisc|class|filter) (?:add|del|change|replace)\b|brctl (?:addbr|delbr|addif)\b|ifup\b|ifdown\b|wg (?:set|setconf)\b|wg-quick\b)/,
  path: /^\/etc\/(?:netplan|network\/interfaces|NetworkManager\/system-connections|systemd\/network)/,
  module: /^(?:pyroute2|rtnetlink|github\.com\/vishvananda\/netlink)$/,
});
