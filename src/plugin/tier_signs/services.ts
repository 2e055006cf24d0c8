import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "uses systemd: services, timers, its journal",
  tier: 2,
  command:
    /^(?:(?:systemctl(?! (?:\S+ )*(?:reboot|poweroff|halt|kexec)\b)|journalctl|systemd-run|hostnamectl|localectl|loginctl|networkctl|resolvectl|busctl|machinectl|systemd-tmpfiles)\b|timedatectl(?! set-time)|service \S+ (?:start|stop|restart|reload|status))/,
  path: /^(?:\/etc|\/lib|\/usr\/lib|\/run)\/systemd\/(?:system|user)(?:\/|$)/,
  code: /\b(?:dbus\.)?systemd1\b/g,
  module:
    /^(?:systemd(?:\.|$)|pystemd|dbus_systemd|zbus_systemd|systemd-client|@pkgr\/systemd|github\.com\/coreos\/go-systemd)/,
});
