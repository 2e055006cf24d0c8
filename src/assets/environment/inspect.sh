# Prints what is inside an environment, in sections that begin with "== name". POSIX sh, with few programs.
set -- $(uname -n) $(uname -r)
echo '== hostname'; echo "$1"
echo '== kernel'; echo "$2"
echo '== os'; (. /etc/os-release 2>/dev/null; echo "${PRETTY_NAME:-unknown}")
echo '== cpus'; nproc 2>/dev/null || grep -c ^processor /proc/cpuinfo
echo '== memory'; while read -r name size _; do
  [ "$name" = MemTotal: ] && echo "$size"
done </proc/meminfo
echo '== disk'; df -Pk / | while read -r _ size _ free _; do
  [ "$size" = 1024-blocks ] || echo "$free"
done
# What runs this script is PTH's.
n=0; for d in /proc/[0-9]*; do [ ${d#/proc/} = $PPID ] || n=$((n+1)); done
echo '== processes'; echo $n
