# Prints the figures of an environment's health, in sections that begin with "== name".
#
# POSIX sh; needs df, cat, grep, date. Few processes, since it runs between tests and a machine may be an emulated one.
# Works in containers, sandboxes, virtual machines and on the host itself. The clock comes last: without it the script did
# not run to its end.
exec 2>/dev/null
first() { for f in "$@"; do read -r line <"$f" && echo "$line"; done; }
echo '== disks'; df -Pk / /tmp /var /dev/shm
echo '== inodes'; df -Pi /
echo '== missing'
for f in /etc/passwd /etc/group /bin/sh /usr/bin/env /dev/null; do [ -e $f ] || echo $f; done
echo '== processes'; cat /proc/[0-9]*/stat
echo '== runner'; echo $PPID
echo '== uptime'; first /proc/uptime
echo '== meminfo'; grep -E '^Mem(Total|Available):' /proc/meminfo
c=/sys/fs/cgroup; m=$c/memory
echo '== limit'; first $c/memory.max $m/memory.limit_in_bytes
echo '== usage'; first $c/memory.current $m/memory.usage_in_bytes
echo '== oom'; grep -h '^oom_kill ' $c/memory.events $m/memory.oom_control
echo '== pressure'; grep -h '^full' $c/memory.pressure /proc/pressure/memory
echo '== files'; first /proc/sys/fs/file-nr
echo '== units'; [ -d /run/systemd/system ] && systemctl --failed --plain --no-legend
echo '== clock'; date +%s
true
