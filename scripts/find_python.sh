#!/bin/sh
# Prints the Python that builds .venv: find_python.sh [PYTHON] [WHEELS]
#
# The one that was asked for, else the one .venv already has, else the one the wheels folder was filled for,
# else the newest of 3.13, 3.12 and 3.11 that really runs (a launcher may exist and still refuse to).

asked=$1
wheels=$2

fits() {
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null
}

if [ -n "$asked" ]; then
    if ! command -v "$asked" >/dev/null 2>&1 || ! "$asked" -c '' >/dev/null 2>&1; then
        echo "teachmem: PYTHON=$asked does not run." >&2
        exit 1
    fi
    if ! fits "$asked"; then
        echo "teachmem needs Python 3.11, 3.12 or 3.13; PYTHON=$asked is $("$asked" --version 2>&1)." >&2
        exit 1
    fi
    echo "$asked"
    exit 0
fi

filled_for=""
if [ -n "$wheels" ] && [ -f "$wheels/python-version" ]; then
    filled_for="python$(cat "$wheels/python-version")"
fi

for candidate in .venv/bin/python $filled_for python3.13 python3.12 python3.11 python3 python; do
    if command -v "$candidate" >/dev/null 2>&1 && fits "$candidate"; then
        echo "$candidate"
        exit 0
    fi
done

echo "teachmem needs Python 3.11, 3.12 or 3.13, and found none: install one, or say PYTHON=/path/to/python3.12." >&2
exit 1
