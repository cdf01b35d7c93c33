"""Frames of printed traces of JavaScript, as Sentry's clients read them."""
import json
import subprocess

from corpus import HERE, event
from sentry_event import trimmed


def parsed(errors, modules, of="browser", **more):
    """The events of some {cls, message, stack} by name."""
    lines = "\n".join(json.dumps({"stack": e["stack"], "of": of}) for e in errors.values())
    out = subprocess.run(["node", HERE / "programs/javascript/parse.mjs"], cwd=modules.parent, input=lines, text=True, capture_output=True, check=True).stdout
    return {name: event(e["cls"], e["message"], *trimmed(json.loads(line)), trace=e["stack"], **more)
            for (name, e), line in zip(errors.items(), out.splitlines())}
