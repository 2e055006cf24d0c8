# Makes a wheel of a Python project ($1) in a folder ($2), and prints its path. Ends with 44 where Python has no pip.
set -e
cd -- "$1"
python=python3
if ! python3 -m pip --version >/dev/null 2>&1; then
  python3 -m venv "$2/builder" >&2 || exit 44
  python=$2/builder/bin/python
fi
make() { "$python" -m pip --disable-pip-version-check wheel . --no-deps --quiet --wheel-dir "$1" $2 >&2; }
# The second try serves machines without a package index: the build system of the machine has to do.
make "$2/wheel" || make "$2/wheel" --no-build-isolation
ls -- "$2/wheel/"*.whl
