"""engines.jsonl, node.jsonl and next.jsonl: V8 (node), SpiderMonkey (gjs) and, by its known rules, JavaScriptCore; a service of node; Next with both bundlers.
usage: make_javascript.py NODE_MODULES [engines] [node] [next] (with @sentry/browser, @sentry/node, next, react, react-dom). Needs node and gjs."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from corpus import Book, HERE, Runs
from javascript import parsed

MODULES = pathlib.Path(sys.argv[1]).resolve()
PROGRAMS = HERE / "programs"
SCRIPT = "https://kiosk.example/app.js"


def jsonl(text):
    return [json.loads(line.removeprefix("STACK")) for line in text.splitlines() if line.startswith(("{", "STACK"))]


# What JavaScriptCore says where its text is not V8's, from public reports.
JSC = {
    "undefinedRead": "undefined is not an object (evaluating 'cart.price')", "undefinedRead2": "undefined is not an object (evaluating 'user.name')",
    "notAFunction": "cart.pay is not a function. (In 'cart.pay()', 'cart.pay' is undefined)", "nullRead": "null is not an object (evaluating 'cart.items')",
    "badJSON": "JSON Parse error: Expected '}'", "badJSON2": "JSON Parse error: Unexpected EOF", "notDefined": "Can't find variable: missingThing",
    "recursion": "Maximum call stack size exceeded.", "assign": "Attempted to assign to readonly property.", "length": "Array size is not a small enough positive integer.",
    "range": "toFixed() argument must be between 0 and 100", "iterate": None, "eval": None, "fn": None,
}


def jsc(name, v8, sm):
    """The trace of SpiderMonkey as JavaScriptCore writes it: it makes up no names for functions without one, and knows no getters by "get"."""
    message = JSC.get(name, v8["message"])
    if message is None:
        return None
    lines = []
    for line in sm["stack"].splitlines():
        func, at = line.split("@", 1)
        func = re.sub(r"^(async\*|get )+", "", func)
        lines.append(("" if func.endswith("<") else func.split(".")[-1] if ".prototype." not in func else "") + "@" + at)
    return {"name": name, "cls": v8["cls"], "message": message, "stack": "\n".join(lines)}


def engines():
    shapes = PROGRAMS / "javascript/shapes.js"
    v8 = jsonl(subprocess.run(["node", PROGRAMS / "javascript/v8.mjs", shapes, SCRIPT], capture_output=True, text=True).stdout)
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "app.js")
        script.write_text(shapes.read_text() + "runAll(print)\n")
        sm = jsonl(subprocess.run(["gjs", script], capture_output=True, text=True).stdout.replace(str(script), SCRIPT))
    runner = re.compile(r"^(.*\b(run|runAll)\b[@ ].*|.*v8\.mjs.*|.*node:internal.*)$\n?", re.M)  # and what is below it
    for e in v8 + sm:
        e["stack"] = runner.split(e["stack"], 1)[0]
    v8, sm = {e["name"]: e for e in v8}, {e["name"]: e for e in sm}
    third = {n: e for n in v8 if (e := jsc(n, v8[n], sm[n]))}
    made = [parsed(e, MODULES, release="1.0") for e in (v8, sm, third)]
    book = Book("engines", "real", platform="javascript", sdk="sentry.javascript.browser")
    three = lambda *names: [m[n] for n in names for m in made if n in m]
    def add(cls, reason, *groups):
        book.add("engines-" + groups[0][0], "browser engines", cls, reason, *[three(*g) for g in groups])
    name = "engine function name"
    add(name, "V8 writes Cart.pay and Big.pay, others pay; send is another method that throws the same.", ["method", "subclass"], ["sibling"])
    add(name, "V8 writes new Cart; others Cart.", ["constructor"], ["getter"])
    add(name, "Static methods of one class throw the same text.", ["static"], ["static2"])
    add(name, "Methods of a plain object: Object.pay and pay.", ["object"], ["object2"])
    add(name, "An arrow in a plain object, and a function in an object within.", ["arrow"], ["deep"])
    add(name, "A function on a prototype has no name in JavaScriptCore; a private method has one in all.", ["prototype"], ["private"])
    add(name, "Named by the variable; called as a method of another object, bound and applied.", ["expression", "alias"], ["constant"])
    add(name, "Callbacks without a name: SpiderMonkey makes callback/< of where they are.", ["callback"], ["map"])
    add(name, "Callbacks of the language's own functions.", ["sort"], ["replace"])
    add(name, "A reviver is called on an object; a function that is called at once has no name.", ["json"], ["iife"])
    add("async frames", "Async methods, resumed: the engines agree on little below the first frame.", ["async"], ["async2"])
    add("async frames", "A function within an async function, and a step of a promise.", ["asyncNested"], ["promise"])
    add("words in message", "What engines say of a property of nothing; the places differ, and so does what was read.", ["undefinedRead"], ["undefinedRead2"])
    add("words in message", "What is not a function, and null.", ["notAFunction"], ["nullRead"])
    add("words in message", "Engines word bad JSON differently: cut off, and empty.", ["badJSON"], ["badJSON2"])
    add("words in message", "A name that is not defined, and a constant that is assigned to.", ["notDefined"], ["assign"])
    add("recursion depth", "Too much recursion; the engines keep a different number of frames, and word it differently.", ["recursion"], ["length"])
    add(name, "eval and new Function: V8 says eval at, SpiderMonkey line N > eval.", ["eval"], ["fn"])
    add(name, "Function.prototype.bind and apply of one handler; a generator.", ["bound", "apply"], ["generator"])
    add("other version of runtime", "Ranges and destructuring are checked by the engine, in its own words.", ["range"], ["iterate"])
    book.write()


RELEASES = {"1.0": ("/srv/kiosk/releases/20261101120000", "", ""), "1.1": ("/srv/kiosk/releases/20261108093000", "import 'node:os'\n", "const limits = {}\n\n\n"),
            "1.0b": ("/srv/kiosk/releases/20261115101500", "", ""), "docker": ("/app", "", ""), "windows": ("C:\\\\inetpub\\\\kiosk", "", "")}


class Node(Runs):
    def run(self, release, lines):
        root, top, middle = RELEASES[release]
        real = pathlib.Path("/srv/kiosk/windows" if release == "windows" else root)
        real.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROGRAMS / "node/app.mjs", real)
        (real / "shop.mjs").write_text((PROGRAMS / "node/shop.mjs").read_text().replace("// NEW RELEASE\n", top).replace("// NEW LINES\n", middle))
        out = subprocess.run(["node", "app.mjs"], cwd=real, input="\n".join(lines), capture_output=True, text=True)
        errors = {s: json.loads(l) for s, l in zip(lines, out.stdout.splitlines())}
        for line, e in errors.items():
            assert e["cls"] != "none", line
            for x in [e, *e["causes"]]:
                x["stack"] = re.sub(r"^.*(at eval|app\.mjs).*$\n?", "", x["stack"], flags=re.M)
                if release == "windows":
                    x["stack"] = x["stack"].replace(f"file://{real}/", "file:///C:/inetpub/kiosk/")
        events = parsed(errors, MODULES, "node", platform="node", sdk="sentry.javascript.node", release=release, root=root)
        for line, e in errors.items():
            if e["causes"]:
                causes = parsed(dict(enumerate(e["causes"])), MODULES, "node").values()
                events[line]["causes"] = [{k: c[k] for k in ("class", "message", "frames") if k in c} for c in causes]
        return events


def node():
    n = Node("node")
    n.add("shift", "line shift", "Imports were added above.", ["1.0 new Cart([{}]).total()", "1.1 new Cart([{}]).total()"], ["1.0 order(1)", "1.1 order(1)"])
    n.add("shift-more", "line shift", "Functions moved further down.", ["1.0 status(402)", "1.1 status(402)"], ["1.0 invoice(1)", "1.1 invoice(1)"])
    n.add("roots", "release path", "Directories of releases, and a container.", ["1.0 order(1)", "1.0b order(2)", "docker order(3)"], ["1.0 invoice(1)", "1.0b invoice(7)", "docker invoice(7)"])
    n.add("windows", "release path", "Developed on Windows, run on Linux.", ["1.0 order(1)", "windows order(2)"], ["1.0 invoice(1)", "windows invoice(7)"])
    n.add("ids", "ids in message", "Ids of many kinds.", ["1.0 order(4711)", "1.0 order('ord_9sK2mQ7xLp0d')", "1.0 order('01ARZ3NDEKTSV4RRFFQ69G5FAV')", "1.0 order('6650f1a2b3c4d5e6f7a8b9c0')"], ["1.0 invoice(4711)", "1.0 invoice('in_1MtHbELkdIwHu7ix')"])
    n.add("two-places", "two places", "Two branches of one method.", ["1.0 new Cart([1]).ship('nowhere')", "1.0b new Cart([1]).ship('nowhere')"], ["1.0 new Cart([]).ship('x')", "1.0b new Cart([]).ship('x')"])
    n.add("async", "async frames", "Async methods after a timer; the numbers differ.", ["1.0 new Cart([]).book(1)", "1.0b new Cart([]).book(22)"], ["1.0 new Cart([]).leave(1)", "1.0b new Cart([]).leave(22)"])
    n.add("file", "codes in message", "A file that is missing, and one that is a directory, in one line.", ["1.0 loadRates('/nowhere/a.json')", "1.0b loadRates('/nowhere/b.json')"], ["1.0 loadRates('/tmp')", "1.0b loadRates('/usr')"])
    n.add("status", "codes in message", "One place throws for any status of a bank: 402 is a declined card, 503 an outage.", ["1.0 status(402)", "1.0b status(402)"], ["1.0 status(503)", "1.0b status(503)"])
    n.add("helper", "helper on top", "The application's own helper raises for its callers; what they lack is in the text.", ["1.0 street({})", "1.0b street({})"], ["1.0 currency({})", "1.0b currency({})"])
    n.add("assert", "helper on top", "node:assert is on top, without frames of its own, and its text has both values.", ["1.0 checked(2)", "1.0b checked(3)"], ["1.0 counted(2)", "1.0b counted(3)"])
    n.add("json", "helper on top", "JSON.parse is on top; two callers read two things.", ["1.0 parseRates('{')", "1.0b parseRates('[1,]')"], ["1.0 parseUsers('{')", "1.0b parseUsers('oops')"])
    n.add("fetch", "wrapper and cause", "fetch failed says nothing; the cause has the reason: a port is closed, or the name is not known.", ["1.0 bank(38901)", "1.0b bank(38902)"], ["1.0 post('a')", "1.0b post('b')"])
    n.add("cause", "wrapper and cause", "One step wraps two causes in the same words.", ["1.0 step(() => order(1))", "1.0b step(() => order(2))"], ["1.0 step(() => loadRates('/nowhere/a'))", "1.0b step(() => loadRates('/nowhere/b'))"])
    n.add("any", "members of a group", "All promises were rejected: the members say why.", ["1.0 any(() => order(1), () => order(2))", "1.0b any(() => order(5), () => order(6))"], ["1.0 any(() => status(503))", "1.0b any(() => status(503))"])
    n.add("emit", "helper on top", "An emitter without a listener throws what it was given: node's frames are below, not above.", ["1.0 emit('socket closed')", "1.0b emit('socket closed')"], ["1.0 emitPlain('socket closed')", "1.0b emitPlain('socket closed')"])
    n.add("depth", "recursion depth", "The same bottom at another depth.", ["1.0 deep(1)", "1.0 deep(5)", "1.0b deep(30)"], ["1.0 loop(1)", "1.0b loop(1)"])
    n.add("arrows", "generated name", "Arrows in a table of handlers, two within another function.", ["1.0 handlers.card({})", "1.0b handlers.card({})"], ["1.0 handlers.bank({})", "1.0b handlers.bank({})"], ["1.0 handlers.list()", "1.0b handlers.list()"], ["1.0 handlers.other()", "1.0b handlers.other()"])
    n.add("hosts", "addresses", "The address of the database changes with each deployment.", ["1.0 connect('10.0.12.7:5432')", "1.0b connect('10.3.0.99:5432')", "1.0 connect('[fd00::12]:5432')"], ["1.0 order(1)"])
    n.write()


def visit(address):
    try:
        urllib.request.urlopen(address, timeout=20).read()
    except urllib.error.HTTPError:
        pass


def next_():
    book = Book("next", "real")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder, "kiosk")
        for bundler in ("turbopack", "webpack"):
            seen = []
            for version in (1, 2):
                shutil.rmtree(work, ignore_errors=True)
                shutil.copytree(PROGRAMS / "next", work)
                (work / "package.json").write_text('{"private": true}')
                (work / "node_modules").symlink_to(MODULES)
                if version == 2:
                    lib = work / "lib/cart.js"
                    lib.write_text("export const rates = { EUR: 1 }\nglobalThis.rates = rates\n\n" + lib.read_text())
                (work / "next.config.mjs").write_text("export default { turbopack: { root: '/' } }\n")
                subprocess.run(["npx", "next", "build", "--" + bundler], cwd=work, check=True, capture_output=True)
                server = subprocess.Popen(["node", "node_modules/next/dist/bin/next", "start", "-p", "38917"], cwd=work, stdout=subprocess.PIPE, text=True)
                while "Ready" not in server.stdout.readline():
                    pass
                for path in ("/api/pay?n=1", "/api/pay?n=5", "/api/refund?n=1", "/api/refund?n=5", "/en/cart?n=1", "/de/cart?n=1", "/en/cart?n=5"):
                    visit("http://127.0.0.1:38917" + path)
                time.sleep(1)
                server.terminate()
                lines = jsonl(server.communicate()[0])
                errors = {}
                for name, e in zip(("pay", "declined", "refund", "refused", "page", "page-de", "page-declined"), lines):
                    stack = re.sub(r"\n.*node_modules/next/dist.*", "", e["stack"].replace(str(work), "/srv/kiosk").replace(str(MODULES), "/srv/kiosk/node_modules"))
                    errors[name] = {"cls": e["name"], "message": e["message"], "stack": stack}
                seen.append(parsed(errors, MODULES, "node", platform="node", sdk="sentry.javascript.nextjs", release=f"{version}.0", root="/srv/kiosk"))
            both = lambda *names: [s[n] for n in names for s in seen]
            def add(id, cls, reason, *groups):
                book.add(f"next-{bundler}-{id}", "next", cls, reason, *[both(*g) for g in groups])
            add("routes", "bundler path", "Routes of one application, in chunks that the bundler names; each reads another property of nothing.", ["pay"], ["refund"])
            add("methods", "bundler path", "Two methods throw the same class and text.", ["declined"], ["refused"])
            add("page", "bundler path", "A page below [locale] and (shop), in two languages.", ["page", "page-de"], ["page-declined"])
            add("builds", "build id in file name", "Chunks of two builds.", ["declined"], ["pay"])
    book.write()


for part in sys.argv[2:] or ["engines", "node", "next"]:
    {"engines": engines, "node": node, "next": next_}[part]()
