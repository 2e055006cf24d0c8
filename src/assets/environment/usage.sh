# Prints how an environment's disk, memory and processor time are used, in sections that begin with "== name".
#
#   $1  the source folder
#   $2  a variable (NAME=value) that only the processes of interest carry, empty for all
#
# POSIX sh. A process may end while it is read: its line is then missing.
echo '== disks'; df -Pk / "$1" /tmp 2>/dev/null | tail -n +2 | sort -u
echo '== folders'
limit=; command -v timeout >/dev/null && limit='timeout 5'
$limit du -xsk "$1"/* "$1"/.[!.]* 2>/dev/null | sort -rn | head -n 10
echo '== meminfo'; grep -E '^(MemTotal|MemAvailable|SwapTotal|SwapFree):' /proc/meminfo
c=/sys/fs/cgroup
echo '== limit'; cat $c/memory.max $c/memory/memory.limit_in_bytes 2>/dev/null
echo '== usage'; cat $c/memory.current $c/memory/memory.usage_in_bytes 2>/dev/null
echo '== load'; cat /proc/loadavg
echo '== cpus'; nproc 2>/dev/null || grep -c ^processor /proc/cpuinfo
echo '== ticks'; getconf CLK_TCK 2>/dev/null || echo 100
echo '== processes'
for d in /proc/[0-9]*; do
  [ ${d#/proc/} != $PPID ] || continue # what runs this script is PTH's
  [ -z "$2" ] || grep -qzxF -- "$2" "$d/environ" 2>/dev/null || continue
  { read -r stat <"$d/stat"; } 2>/dev/null || continue
  line=$(tr '\0\n' '  ' <"$d/cmdline" 2>/dev/null | cut -c1-300)
  [ -n "$line" ] && echo "${stat##*) } | $line"
done
true
