# Installs a wheel ($1) into a virtual environment ($2) that holds nothing else, and prints the folder of its packages.
set -e
if python3 -m pip --version >/dev/null 2>&1; then
  python3 -m venv --without-pip "$2" >&2
  python3 -m pip --disable-pip-version-check --python "$2/bin/python" install --quiet "$1" >&2
else
  python3 -m venv "$2" >&2
  "$2/bin/python" -m pip --disable-pip-version-check install --quiet "$1" >&2
fi
"$2/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
