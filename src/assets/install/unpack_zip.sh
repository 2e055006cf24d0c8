# Unpacks a zip archive ($1) into a folder ($2). Ends with 44 where no program can.
mkdir -p -- "$2" || exit 1
if command -v unzip >/dev/null; then exec unzip -q -o "$1" -d "$2"; fi
if command -v python3 >/dev/null; then exec python3 -m zipfile -e "$1" "$2"; fi
exit 44
