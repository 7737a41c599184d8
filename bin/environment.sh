# Read by bin/run and bin/test, from the project's folder: finds a Python that is new enough and gives it a virtual environment in .venv.

# Meant for other programs; they would lead ours to the wrong packages.
unset PYTHONHOME PYTHONPATH

say_and_stop() {
    echo "$1" >&2
    exit 1
}

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11 python; do
        if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 && is_new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    found=$(python3 --version 2>/dev/null) || found="no python3 at all"
    say_and_stop "Linkmeter needs Python 3.11 or newer; here is $found. Where a newer one has another name: PYTHON=/its/path bin/run"
}

# make_environment FILE: .venv with all that the requirements file pins; quick when nothing has changed.
make_environment() {
    if ! is_new_enough .venv/bin/python; then
        python=$(find_python) || exit 1
        "$python" -c 'import ensurepip, venv' 2>/dev/null ||
            say_and_stop "This Python cannot make virtual environments; on Debian or Ubuntu, 'apt install python3-venv' gives it what it lacks."
        echo "Making a virtual environment in .venv with $("$python" --version)"
        rm -rf .venv
        "$python" -m venv .venv || say_and_stop "The virtual environment could not be made; Python's words are above."
    fi
    if [ ! -f ".venv/.installed-$1" ]; then
        echo "Installing the packages in $1"
    fi
    .venv/bin/python settings/embedded/install.py "$1" || exit 1
}
