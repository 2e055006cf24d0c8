# Copies a folder ($1) to another ($2) without what `mcpb pack` leaves out of a bundle.
set -e
mkdir -p -- "$2"
cp -R -L -- "$1/." "$2"
cd -P -- "$2"
rm -rf .git .npm .yarn node_modules/.cache node_modules/.bin
find . \( -name .DS_Store -o -name Thumbs.db -o -name .gitignore -o -name '*.log' -o -name '.env*' \
  -o -name .npmrc -o -name .yarnrc -o -name '.pnp.*' -o -name '*.map' -o -name package-lock.json -o -name yarn.lock \
  -o -name '*.mcpb' -o -name '*.d.ts' -o -name '*.tsbuildinfo' -o -name tsconfig.json \) -exec rm -rf {} +
if [ -f .mcpbignore ]; then
  while IFS= read -r line || [ -n "$line" ]; do
    line=${line%/}
    case $line in '' | '#'* | '!'*) continue ;; esac
    case $line in
      */*) find . -path "./${line#/}" -prune -exec rm -rf {} + ;;
      *) find . -name "$line" -prune -exec rm -rf {} + ;;
    esac
  done <.mcpbignore
  rm -f .mcpbignore
fi
