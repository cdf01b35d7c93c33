"""What the makers of the corpus share: frames and events in short, and the writer of situations."""
import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE.parent
LONGEST = 2000  # characters of a printed trace


def frame(where, func="", module="", app=None, path=""):
    """where is FILE, FILE:LINE or FILE:LINE:COLUMN."""
    parts, numbers = where.rsplit(":", 2), []
    while len(parts) > 1 and parts[-1].isdigit() and len(numbers) < 2:
        numbers.insert(0, int(parts.pop()))
    f = {"file": ":".join(parts), "path": path, "func": func, "module": module, "app": app}
    f.update(zip(("line", "col"), numbers))
    return {k: v for k, v in f.items() if v not in ("", None)}


def cause(cls, message, *frames):
    return {"class": cls, "message": message, "frames": list(frames)}


def event(cls, message, *frames, causes=(), **more):
    """An event; frames come with the newest call first."""
    e = {"class": cls, "message": message, "frames": list(frames), "causes": list(causes), **more}
    return {k: v for k, v in e.items() if v not in ("", [], None)}


def releases(*events):
    """Each event from a release of its own."""
    return [{**e, "release": f"kiosk@1.{n}"} for n, e in enumerate(events)]


def distinct(events):
    """Drops events that say the same as another one of their group, and traces that are too long to be worth their room."""
    kept = {}
    for e in events:
        said = json.dumps({k: v for k, v in e.items() if k not in ("release", "root", "trace")}, sort_keys=True)
        kept.setdefault(said, {k: v for k, v in e.items() if k != "trace" or len(v) <= LONGEST})
    return list(kept.values())


class Book:
    """The situations of one file."""

    def __init__(self, name, made, **base):
        self.name, self.made, self.base, self.lines = name, made, base, []

    def add(self, id, ecosystem, cls, reason, *groups, **base):
        """groups are lists of events; an event alone is a group of its own."""
        groups = [g if isinstance(g, list) else [g] for g in groups]
        groups = [distinct({**self.base, **base, **e} for e in g) for g in groups]
        events = [e for g in groups for e in g]
        shared = {k: v for k, v in events[0].items() if all(k in e and e[k] == v for e in events)}
        own = [[{k: v for k, v in e.items() if k not in shared} for e in g] for g in groups]
        self.lines.append({"id": id, "ecosystem": ecosystem, "class": cls, "reason": reason, "made": self.made, "base": shared, "groups": own})

    def write(self):
        with open(CORPUS / (self.name + ".jsonl"), "w", encoding="utf-8") as f:
            for line in self.lines:
                f.write(json.dumps(line, ensure_ascii=False, separators=(", ", ": ")) + "\n")
        print(self.name, len(self.lines), "situations")


class Runs:
    """The situations of a program that is run. Its events are written "RELEASE STATEMENT"; what runs statements of a release is in run."""

    def __init__(self, name):
        self.name, self.ecosystem, self.situations = name, name, []

    def add(self, id, cls, reason, *groups):
        self.situations.append((f"{self.name}-{id}", cls, reason, [[tuple(e.split(" ", 1)) for e in g] for g in groups]))

    def run(self, release, statements):
        """Returns the events by statement."""
        raise NotImplementedError

    def write(self):
        wanted, made = {}, {}
        for release, statement in (e for s in self.situations for g in s[3] for e in g):
            wanted.setdefault(release, {})[statement] = None
        for release, statements in wanted.items():
            made.update({(release, statement): e for statement, e in self.run(release, list(statements)).items()})
        book = Book(self.name, "real")
        for id, cls, reason, groups in self.situations:
            book.add(id, self.ecosystem, cls, reason, *[[made[e] for e in g] for g in groups])
        book.write()
