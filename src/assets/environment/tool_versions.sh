# Prints the versions of programs as a section, behind what inspect.sh prints.
#
# POSIX sh; asks the tools for their versions side by side, each at most 5 s where timeout exists. npm's is read from its
# own manifest: npm takes longer to say it than all the others together.
echo '== tools'
limit=; command -v timeout >/dev/null && limit='timeout 5'
for tool in node npm python3 git gcc g++ make cargo go deno uv; do
  command -v $tool >/dev/null || continue
  flag=--version; [ $tool = go ] && flag=version
  v=
  [ $tool = npm ] && p=$(readlink -f "$(command -v npm)") &&
    v=$(sed -n '/^ *"version":/{s/.*: *"\([^"]*\)".*/\1/p;q;}' "${p%/bin/npm-cli.js}/package.json" 2>/dev/null)
  (echo "$tool ${v:-$($limit $tool $flag 2>&1 | head -n 1)}") &
done
wait
