"""php.jsonl: programs/php under PHP 8. Frames have what Sentry's and Honeybadger's clients for PHP send: where each call was made, and the function around it."""
import json
import pathlib
import re
import shutil
import subprocess

from corpus import HERE, Runs, cause, event
from sentry_event import trimmed

SHIFT = ("use Exception;\nuse Stringable;\n", "    public int $limit = 3;\n\n")
RELEASES = {"1.0": ("/var/www/releases/20261101120000", False), "1.1": ("/var/www/releases/20261108093000", True),
            "1.0b": ("/var/www/releases/20261115101500", False), "docker": ("/app", False)}


def frames_of(error, root):
    """The first is where it was thrown; the function of a frame is what the next frame called."""
    calls = [c for c in error["trace"]]
    places = [(error["file"], error["line"])] + [(c.get("file", "[internal]"), c.get("line", 0)) for c in calls]
    names = [c.get("class", "") + ("::" if c.get("class") else "") + c["function"] for c in calls] + [""]
    out = []
    for (path, line), func in zip(places, names):
        if "capture.php" in path or func.startswith("{closure}") and "capture.php" in path:
            continue
        path = re.sub(r"\0.*", "", path)
        out.append({k: v for k, v in {"file": path.removeprefix(root), "path": path, "func": re.sub(r"\0[^:]*", "", func), "line": line, "app": path.startswith(root)}.items() if v not in ("", 0)})
    return trimmed(out)


def event_of(error, root, release):
    causes, inner = [], error["cause"]
    while inner:
        causes.append(cause(inner["cls"], inner["message"], *frames_of(inner, root)))
        inner = inner["cause"]
    trace = "\n".join(l for l in error["text"].splitlines() if "capture.php" not in l).replace("\0", "")
    return event(error["cls"], error["message"], *frames_of(error, root), causes=causes, platform="php", sdk="sentry.php", release=release, root=root,
                 trace=trace)


class Program(Runs):
    def run(self, release, statements):
        (root, moved), source = RELEASES[release], HERE / "programs" / self.name
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(source, root)
        top, middle = SHIFT if moved else ("", "")
        text = (source / "shop.php").read_text().replace("// NEW RELEASE\n", top)
        pathlib.Path(root, "shop.php").write_text(re.sub(r" *// NEW LINES\n", lambda m: middle, text))
        out = subprocess.run(["php", source / "capture.php", root], input="\n".join(statements), capture_output=True, text=True, cwd=root)
        errors = [json.loads(l) for l in out.stdout.splitlines() if l.startswith("{")]
        assert len(errors) == len(statements) and all(e["cls"] != "none" for e in errors), out.stdout[-500:] + out.stderr
        return {s: event_of(e, root, release) for s, e in zip(statements, errors)}


p = Program("php")
p.add("shift", "line shift", "Classes are imported above.", ["1.0 order(1)", "1.1 order(1)"], ["1.0 invoice(1)", "1.1 invoice(1)"])
p.add("shift-closures", "line shift", "A closure moved with its method.", ["1.0 (new Cart([null]))->total()", "1.1 (new Cart([null]))->total()"], ["1.0 (new Cart([null]))->names()", "1.1 (new Cart([null]))->names()"])
p.add("roots", "release path", "Directories of releases and a container.", ["1.0 order(1)", "1.0b order(2)", "docker order(3)"], ["1.0 invoice(1)", "1.0b invoice(2)", "docker invoice(3)"])
p.add("places", "two places", "Two guards of one method throw the same, and move with a release.", ["1.0 (new Cart([1]))->ship('nowhere')", "1.1 (new Cart([1]))->ship('nowhere')"], ["1.0 (new Cart([]))->ship('x')", "1.1 (new Cart([]))->ship('x')"])
p.add("front", "two places", "Code of the front controller has no function: two statements of one file fail.", ["1.0 undefined()", "1.0b undefined()"], ["1.0 undefined2()", "1.0b undefined2()"])
p.add("ids", "ids in message", "Ids of many kinds.", ["1.0 order(4711)", "1.0 order('ord_9sK2mQ7xLp0d')", "1.0 order('8c1f7e52-07f4-4b0e-a0a1-2a6c3f4b7a11')", "1.0b order('A-2026-17')"], ["1.0 invoice(4711)", "1.0b invoice('in_1MtHbELkd')"])
p.add("keys", "words in message", "Undefined array keys of two functions.", ["1.0 street([])", "1.0b street(['b' => 1])"], ["1.0 city([])", "1.0b city(['b' => 1])"])
p.add("library", "helper on top", "A function of PHP throws for two callers with one text.", ["1.0 ratio(1, 0)", "1.0b ratio(2, 0)"], ["1.0 share(1, 0)", "1.0b share(2, 0)"])
p.add("json", "helper on top", "json_decode throws for two callers.", ["1.0 rates('{')", "1.0b rates('[1,]')"], ["1.0 users('{')", "1.0b users('oops')"])
p.add("dates", "ids in message", "What was typed is in the text, with a position.", ["1.0 day('tomorow')", "1.0b day('31.31.2026')"], ["1.0 order(1)"])
p.add("status", "codes in message", "402 is a declined card, 503 an outage.", ["1.0 status(402)", "1.0b status(402)"], ["1.0 status(503)", "1.0b status(503)"])
p.add("sqlstate", "codes in message", "23505 is a duplicate, 40P01 a deadlock, 08006 a lost connection.", ["1.0 sql('23505')", "1.0b sql('23505')"], ["1.0 sql('40P01')", "1.0b sql('40P01')"], ["1.0 sql('08006')", "1.0b sql('08006')"])
p.add("types", "words in message", "The type that was given, and where it was called, are in the text.", ["1.0 typed('x')", "1.0b typed([])"], ["1.0 typed2(5)", "1.0b typed2('x')"])
p.add("helper", "helper on top", "The application's own helper raises for its callers; what they lack is in the text.", ["1.0 needStreet()", "1.0b needStreet()"], ["1.0 needCity()", "1.0b needCity()"])
p.add("previous", "wrapper and cause", "One catch throws one text for two causes.", ["1.0 step(fn () => order(1))", "1.0b step(fn () => order(2))"], ["1.0 step(fn () => ratio(1, 0))", "1.0b step(fn () => ratio(2, 0))"])
p.add("depth", "recursion depth", "The same bottom at another depth.", ["1.0 deep(1)", "1.0 deep(4)", "1.0b deep(40)"], ["1.0 order(1)"])
p.add("closures", "generated name", "Closures that usort calls, in two functions, with one text.", ["1.0 sorted()", "1.0b sorted()"], ["1.0 sorted2()", "1.0b sorted2()"])
p.add("closures-one-line", "generated name", "Two closures of one function and line are both {closure}.", ["1.0 closure('card')", "1.0b closure('card')"])
p.add("anonymous", "generated name", "class@anonymous has its file and offset in its name.", ["1.0 anonymous()", "1.0b anonymous()"], ["1.0 anonymous2()", "1.0b anonymous2()"])
p.add("mocks", "generated name", "Two methods of an anonymous class with one text.", ["1.0 bad(['pay', 1])", "1.0b bad(['pay', 22])"], ["1.0 bad(['refund', 1])", "1.0b bad(['refund', 22])"])
p.add("empty", "empty title", "No text, in two functions.", ["1.0 emptied()", "1.0b emptied()"], ["1.0 emptied2()", "1.0b emptied2()"])
p.add("magic", "ids in message", "__call with names that clients sent.", ["1.0 (new Cart([]))->item17()", "1.0b (new Cart([]))->item99()"], ["1.0 Cart::load(1)", "1.0b Cart::load(22)"])
p.add("generators", "generated name", "Generators resume in the loop of a caller.", ["1.0 iterator_to_array((new Cart([null]))->lines())", "1.0b iterator_to_array((new Cart([null]))->lines())"], ["1.0 iterator_to_array((new Cart([null]))->texts())", "1.0b iterator_to_array((new Cart([null]))->texts())"])
p.add("files", "codes in message", "A file that is missing: the path is the customer's. A directory is another fault.", ["1.0 file('/nowhere/a')", "1.0b file('/nowhere/b')"], ["1.0 file('/tmp')", "1.0b file('/usr')"])
p.write()
