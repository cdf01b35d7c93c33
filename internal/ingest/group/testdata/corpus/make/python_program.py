"""Runs a program in Python in several releases, with Sentry's client."""
import json
import pathlib
import re
import subprocess
import sys

from corpus import HERE, Runs
from sentry_event import from_sentry

OURS = r'  File "[^"]*(?:capture\.py|runpy\.py|<frozen runpy>)".*\n(?:    .*\n)*'

# Releases: the directory, what is added at the top of the file, what is added in the middle. "3.10" and "3.13" run under those versions.
RELEASES = {
    "1.0": ("/srv/kiosk/releases/20261101120000", "", ""),
    "1.1": ("/srv/kiosk/releases/20261108093000", "import logging\nimport re\n", "\nlog = logging.getLogger()\n\n"),
    "1.2": ("/srv/kiosk/releases/9f2c41e", "import os\n", "\n# The rates of banks changed in November.\nRATES = {}\nLIMITS = {}\n\n\n"),
    "1.0b": ("/srv/kiosk/releases/20261115101500", "", ""),
    "docker": ("/app", "", ""),
    "tmp": ("/tmp/8dbe1c04e9a71f2", "", ""),
    "3.10": ("/srv/kiosk/releases/20261120080000", "", ""),
    "3.13": ("/srv/kiosk/releases/20261121090000", "", ""),
}


def clean(value):
    """Puts paths of the machine that made this where a server has them."""
    if isinstance(value, str):
        value = re.sub(r"/root/\.pyenv/versions/[^/]+/lib", "/usr/local/lib", value)
        return re.sub(r"/[^ \"]*/(?=lib/python3\.\d+/site-packages)", "/srv/kiosk/venv/", value)
    if isinstance(value, dict):
        return {k: clean(v) for k, v in value.items()}
    return [clean(v) for v in value] if isinstance(value, list) else value


def without_runner(event):
    for value in event["exception"]["values"]:
        stack = value.get("stacktrace") or {}
        stack["frames"] = [f for f in stack.get("frames") or [] if not re.search(r"capture\.py$|runpy", f.get("abs_path") or "")]
    return event


PYTHONS = dict(p.split("=") for p in sys.argv[1:])  # such as 3.13=/opt/python3.13


class Program(Runs):
    """name is the folder of the program below programs."""

    def __init__(self, name, source):
        super().__init__(name)
        self.source = HERE / "programs" / name / source

    def run(self, release, statements):
        root, top, middle = RELEASES[release]
        pathlib.Path(root).mkdir(parents=True, exist_ok=True)
        pathlib.Path(root, self.source.name).write_text(self.source.read_text().replace("# NEW RELEASE\n", top).replace("# NEW LINES\n", middle))
        out = subprocess.run([PYTHONS.get(release, sys.executable), self.source.parent / "capture.py", root, release], input="\n".join(statements), cwd=root, text=True, capture_output=True)
        if out.returncode:  # a statement that raised nothing
            sys.exit(out.stderr)
        lines = [json.loads(line) for line in out.stdout.splitlines()]
        return {s: clean(from_sentry(without_runner(one["event"]), re.sub(OURS, "", one["trace"]), root=root)) for s, one in zip(statements, lines)}
