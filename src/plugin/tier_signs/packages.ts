import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "installs packages of the system (a plain container is enough)",
  tier: 1,
  command:
    /^(?:(?:apt|apt-get|dnf|yum|zypper|apk|microdnf)(?: -\S+)* (?:install|remove|purge|update|upgrade|dist-upgrade|autoremove|add|del)\b|dpkg (?:-i|-r|-P|--install|--remove|--purge)\b|rpm -[iUe]|pacman -[SRU]|snap (?:install|remove)\b)/,
});
