# Prints the files and links of a folder, NUL-terminated: kind, path, and the target of a link.
cd -P -- "$1" 2>/dev/null || exit 44
if [ -f Cargo.toml ]; then built=./target; else built=./.git; fi
find . \( -name .git -o -name node_modules -o -name __pycache__ -o -name .venv -o -path "$built" \) -prune -o \
  \( -type f -o -type l \) -exec sh -c '
    for path do
      if [ -h "$path" ]; then printf "link\n%s\n%s\0" "$path" "$(readlink "$path")"
      elif [ -x "$path" ]; then printf "program\n%s\n\0" "$path"
      else printf "file\n%s\n\0" "$path"
      fi
    done' sh {} +
