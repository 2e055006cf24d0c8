# Starts the sampler, whose text is PTH_STUCK_PROGRAM, by the first of Node (20 or later) and Deno that is there.
unset NODE_OPTIONS
for node in node nodejs; do
  version=$("$node" --version 2>/dev/null) || continue
  version=${version#v}
  [ "${version%%.*}" -ge 20 ] 2>/dev/null && exec "$node" --input-type=module -e "$PTH_STUCK_PROGRAM"
done
command -v deno >/dev/null 2>&1 && exec deno eval --no-config "$PTH_STUCK_PROGRAM"
echo '{"unavailable":"there is neither Node 20 nor Deno"}'
