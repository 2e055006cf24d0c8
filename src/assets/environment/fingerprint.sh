# Prints what an environment holds outside its source folder, in sections that begin with "== name".
#
#   $1  files to list: "all" of the root's file system, "etc" (configuration), or "none"; "beneath" prints only what an
#       environment over this root shows of it: packages, users, groups, configuration
#   $2  the source folder, which "all" leaves out
#   $3  what the environment has of its own, not shared with the host: of "network" and "kernel", parted by spaces
#   $4  a format of GNU find's -printf, for one line per file
#
# POSIX sh, with no process per file. $PTH_PIDS (a list) narrows the processes looked at. Ports count when a process that
# the script can see holds them: with a network shared with the host, the host's own listeners are none of the
# environment's.
exec 2>/dev/null

echo '== packages'
if command -v dpkg-query >/dev/null; then dpkg-query -W -f '${Package} ${Version}\n'
elif command -v rpm >/dev/null; then rpm -qa --qf '%{NAME} %{VERSION}-%{RELEASE}\n'
elif command -v apk >/dev/null; then apk list -I | cut -d' ' -f1,2
fi
echo '== npm'
for d in /usr/lib /usr/local/lib; do
  [ -d $d/node_modules ] && grep -m1 -H '^ *"version":' $d/node_modules/*/package.json $d/node_modules/@*/*/package.json
done
echo '== pip'
for d in /usr/lib/python3*/dist-packages /usr/lib/python3*/site-packages /usr/local/lib/python3*/dist-packages \
  /usr/local/lib/python3*/site-packages; do [ -d "$d" ] && ls -d "$d"/*.dist-info; done
echo '== users'; cut -d: -f1 /etc/passwd
echo '== groups'; cut -d: -f1,4 /etc/group
echo '== config'; find /etc /var/spool/cron -xdev -type f -exec sha256sum {} +
if [ "$1" = beneath ]; then echo '== end'; exit; fi

# Kernel parameters are read where a machine has its own, or may write the host's: where systemd runs.
if [ -d /run/systemd/system ]; then
  echo '== units'; systemctl list-units --type=service,timer --state=running,waiting,elapsed,failed --plain --no-legend
  echo '== enabled'; find /etc/systemd/system -type l -printf '%P %l\n'
  echo '== sysctl'
  find /proc/sys/kernel /proc/sys/net /proc/sys/vm /proc/sys/fs -type f -perm -0200 ! -perm -0022 \
    ! -path '*/neigh/*' ! -path '*/conf/[!ad]*' ! -path '*/random/*' -exec grep -H '' {} +
fi
echo '== mounts'; cut -d' ' -f1-3 /proc/self/mounts
echo '== sockets'
if [ -n "${PTH_PIDS+x}" ]; then
  for p in $PTH_PIDS; do ls -l /proc/$p/fd; done | grep -o 'socket:\[[0-9]*'
else ls -l /proc/[0-9]*/fd | grep -o 'socket:\[[0-9]*'
fi
echo '== tcp'; cat /proc/net/tcp /proc/net/tcp6 | grep ' 0A '
echo '== udp'; cat /proc/net/udp /proc/net/udp6 | grep ':0000 07 '
echo '== unix'; grep ' 00010000 0001 ' /proc/net/unix
echo '== hostname'; uname -n

# A packet filter is asked only where the kernel has one already: the question itself would load it, into the host's kernel
# where that is shared. The rules of the engine's own name server have other ports after each rollback.
case " $3 " in *' network '*)
  echo '== inet'; grep -B1 '/32 host LOCAL' /proc/net/fib_trie | grep -e '--'
  echo '== inet6'; cat /proc/net/if_inet6
  echo '== firewall'
  { if [ -d /sys/module/nf_tables ] || [ ! -s /proc/modules ]; then
      if command -v nft >/dev/null; then nft -s list ruleset
      elif command -v iptables-save >/dev/null; then iptables-save; ip6tables-save; fi
    fi
    [ -s /proc/net/ip_tables_names ] && iptables-legacy-save
  } | sed -e '/^#/d' -e 's/ *\[[0-9]*:[0-9]*\]//' -e '/127\.0\.0\.11/d'
esac
case " $3 " in *' kernel '*) echo '== modules'; cut -d' ' -f1 /proc/modules; esac

# Only what everyone may read, so that no password hash and no key leaves the environment.
echo '== texts'
find /etc -xdev -type f -perm -004 -size -129 ! -path '/etc/ssl/*' ! -path '/etc/*cache' | tar -czf - -T - | base64

case $1 in
etc)
  echo '== files'; find /etc /var/spool/cron -xdev -printf "$4\n"
  ;;
all)
  # One walk for all: what getcap says comes between the lines of the files. 20,000 files take a quarter of a second.
  u= v= c=
  if command -v getcap >/dev/null; then c='-type f -perm /111 -exec getcap {} +'
  else u='capabilities of files: getcap is missing'; fi
  if find / -maxdepth 0 -printf ''; then
    echo '== files'; find / -xdev -path "$2" -prune -o -printf "$4\n" $c
  else v='files, modes, links and capabilities: GNU find is missing'; u=; fi
  echo '== unseen'; printf '%s\n' "$u" "$v"
  ;;
esac
echo '== end'
