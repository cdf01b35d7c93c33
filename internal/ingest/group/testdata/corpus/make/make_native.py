"""go.jsonl and rust.jsonl: programs/go and programs/rust, built twice. The frames are those of the printed traces, marked as Sentry's clients mark them:
Go's by the module, Rust's not at all. Needs Go and rustc."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

from corpus import HERE, Runs, cause, event
from sentry_event import trimmed

SHIFT = {"go": ("const limit = 3\n\nvar other = limit\n", "var third = other\n"), "rust": ("use std::sync::Arc;\ntype Shared = Arc<u32>;\n", "static LIMIT: u32 = 3;\n\n")}
# Builds: the directory of the sources, whether lines moved.
BUILDS = {"1.0": ("/src/kiosk", False), "1.1": ("/src/kiosk", True), "ci": ("/builds/7f3a91/0/kiosk", False)}


def build(language, release, source):
    root, moved = BUILDS[release]
    work = pathlib.Path(root)
    work.mkdir(parents=True, exist_ok=True)
    top, middle = SHIFT[language] if moved else ("", "")
    text = source.read_text().replace("// NEW RELEASE\n", top).replace("// NEW LINES\n", middle)
    (work / source.name).write_text(text)
    program = work / "shop"
    if language == "go":
        (work / "go.mod").write_text("module kiosk\n\ngo 1.26\n")
        subprocess.run(["go", "build", "-o", program, "."], cwd=work, check=True, env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-gcflags=-l"})
    else:
        subprocess.run(["rustc", "-A", "warnings", "--edition", "2021", "-g", source.name, "-o", program], cwd=work, check=True)
    return program, root


def go_frames(trace, root):
    """The frames of one goroutine, without those of the panic itself."""
    out = []
    for name, file, line in re.findall(r"^(\S.*?)(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\n\t(\S+):(\d+)", trace, re.M):
        if name.startswith(("panic", "runtime.gopanic", "runtime.goPanic", "runtime.panic", "runtime.sigpanic", "runtime/debug", "created by")):
            continue
        cut = name.find(".", name.rfind("/") + 1)
        module, func = name[:cut], name[cut + 1:]
        out.append({"file": pathlib.Path(file).name if file.startswith(root) else file, "path": file, "func": func, "module": module, "line": int(line), "app": file.startswith(root)})
    return trimmed(out)


def go_event(program, root, release, call):
    how = "returned" if call.startswith("error ") else "panics"
    name = call.removeprefix("error ")
    done = subprocess.run([program, how, name], capture_output=True, text=True)
    if how == "returned":
        one = json.loads(done.stdout)
        first, rest = one["chain"][0], one["chain"][1:]
        frames = go_frames(re.sub(r"^goroutine.*\n", "", one["stack"]), root)
        return event(first["Type"], first["Text"], *frames, causes=[cause(c["Type"], c["Text"]) for c in rest], platform="go", sdk="sentry.go", release=release)
    text = done.stderr
    message = re.match(r"panic: (.*?)(?: \[recovered.*)?\n", text)
    said, first = message.group(1), text.split("\n\n", 1)[1].split("\n\n")[0]
    kind = "runtime.boundsError" if "out of range" in said else "runtime.errorString" if said.startswith(("runtime error", "assignment to entry")) else \
        "*runtime.TypeAssertionError" if "interface conversion" in said else "*errors.errorString"
    if typed := re.match(r"(\*[\w.]+)\(?", said):
        kind = typed.group(1)
    return event(kind, re.sub(r" \[signal.*", "", said), *go_frames(re.sub(r"^goroutine.*\n", "", first), root), platform="go", sdk="sentry.go", release=release, trace=first)


def rust_event(program, root, release, call):
    name, _, argument = call.partition(" ")
    done = subprocess.run([program, name, argument], capture_output=True, text=True, env={**os.environ, "RUST_BACKTRACE": "1"})
    text = done.stderr
    if text.count("panicked at") > 1:  # that of the thread comes first
        text = text[:text.find("\nthread '", 10)]
    said = re.search(r"panicked at [^\n]*:\n(.*?)\n(?:stack backtrace|note)", text, re.S).group(1)
    frames = []
    for name, at in re.findall(r"^ +\d+: (.+)\n(?: +at (.+))?", text, re.M):
        file, line = re.match(r"(.*?):(\d+)", at).groups() if at else ("", "0")
        frames.append({k: v for k, v in {"file": file, "func": name, "line": int(line)}.items() if v})
    frames = [f for f in frames if not f["func"].startswith(("rust_begin_unwind", "__rustc"))]
    return event("panic", said, *trimmed(frames), platform="native", sdk="sentry.rust", release=release, trace=re.sub(r"^\n*thread '(\S+)' \(\d+\)", r"thread '\1'", text))


class Program(Runs):
    def __init__(self, name, source, maker, situations):
        super().__init__(name)
        self.source, self.maker = HERE / "programs" / name / source, maker
        for id, cls, reason, *groups in situations:  # only what is about directories is built in two
            self.add(id, cls, reason, *[[e if cls == "release path" else e.replace("ci ", "1.0 ") for e in g] for g in groups])

    def run(self, release, calls):
        program, root = build(self.name, release, self.source)
        return {call: self.maker(program, root, release, call) for call in calls}


GO = [
    ("shift", "line shift", "Declarations were added above.", ["1.0 ratio", "1.1 ratio"], ["1.0 share", "1.1 share"]),
    ("shift-method", "line shift", "Methods moved.", ["1.0 total", "1.1 total"], ["1.0 refund", "1.1 refund"]),
    ("builds", "release path", "Built in two directories, without -trimpath.", ["1.0 ratio", "ci ratio"], ["1.0 share", "ci share"]),
    ("builds-method", "release path", "Built by CI in a directory of its own.", ["1.0 total", "ci total"], ["1.0 add", "ci add"]),
    ("closures", "generated name", "glob..func24.1 and glob..func25.1: closures are numbered.", ["1.0 closure", "ci closure"], ["1.0 closure2", "ci closure2"]),
    ("generics", "generated name", "Map[...] with two functions that panic.", ["1.0 generic"], ["1.0 generic2"]),
    ("places", "two places", "Two guards of one function, which move with a release.", ["1.0 nowhere", "1.1 nowhere"], ["1.0 noitems", "1.1 noitems"]),
    ("bounds", "ids in message", "The index and the length are in the text.", ["1.0 second", "1.0 second0"], ["1.0 first"]),
    ("must", "helper on top", "must panics for its callers: two kinds of text were read.", ["1.0 rates", "1.0 rates2"], ["1.0 users", "1.0 users2"]),
    ("must-number", "helper on top", "must, with what was typed in the text.", ["1.0 number", "1.0 number2"], ["1.0 users"]),
    ("types", "words in message", "Type assertions of two functions; what was given is in the text.", ["1.0 kind", "1.0 kind2"], ["1.0 text", "1.0 text2"]),
    ("depth", "recursion depth", "The same bottom at another depth.", ["1.0 deep1", "1.0 deep6", "1.0 deep30"], ["1.0 closed"]),
    ("goroutines", "async frames", "In a goroutine of its own, or not.", ["1.0 first", "1.0 goroutine"], ["1.0 goroutine2"]),
    ("repanic", "async frames", "Recovered and thrown again by a deferred function.", ["1.0 first", "1.0 first3"], ["1.0 second"]),
    ("pointer", "two places", "A method that was called on nothing, and a read of nothing.", ["1.0 value"], ["1.0 total"]),
    ("report", "helper on top", "All errors are reported by one function, where the client takes its frames.", ["1.0 error text"], ["1.0 error other"], ["1.0 error declined", "1.0 error declined2"]),
    ("wrapped", "wrapper and cause", "fmt.Errorf around a declined order.", ["1.0 error wrapped", "1.0 error wrapped2"], ["1.0 error opened", "1.0 error opened2"]),
    ("wrapped-text", "wrapper and cause", "One text wraps a missing file, a refused connection and a deadline.", ["1.0 error opened", "1.0 error opened2"], ["1.0 error dialled", "1.0 error dialled2"], ["1.0 error deadline"]),
    ("joined", "members of a group", "errors.Join: a declined order and a mail, a template and a mail.", ["1.0 error joined", "1.0 error joined2"], ["1.0 error joined3"], ["1.0 error other"]),
]
RUST = [
    ("shift", "line shift", "Declarations were added above.", ["1.0 order 1", "1.1 order 1"], ["1.0 invoice 1", "1.1 invoice 1"]),
    ("builds", "release path", "Built in two directories.", ["1.0 order 1", "ci order 2"], ["1.0 invoice 1", "ci invoice 2"]),
    ("ids", "ids in message", "Ids of many kinds.", ["1.0 order 4711", "1.0 order ord_9sK2mQ7xLp0d", "1.0 order 8c1f7e52-07f4-4b0e-a0a1-2a6c3f4b7a11"], ["1.0 invoice 4711", "1.0 invoice in_1MtHbELkd"]),
    ("unwrap", "helper on top", "unwrap of nothing in two methods: the library's frames are on top.", ["1.0 price a", "ci price a"], ["1.0 label a", "ci label a"]),
    ("parse", "helper on top", "unwrap of what cannot be parsed.", ["1.0 number x", "1.0 number "], ["1.0 count x", "1.0 count "]),
    ("index", "helper on top", "A map's index, and expect.", ["1.0 total a", "ci total b"], ["1.0 stock a", "ci stock b"]),
    ("bounds", "ids in message", "The length is in the text.", ["1.0 first a", "1.0 first ab"], ["1.0 second a", "1.0 second abc"]),
    ("zero", "helper on top", "Division and remainder by zero.", ["1.0 ratio ", "ci ratio "], ["1.0 share ", "ci share "]),
    ("files", "codes in message", "os error 2 and os error 21 of one line.", ["1.0 read /nowhere/a", "1.0 read /nowhere/b"], ["1.0 read /tmp", "1.0 read /usr"]),
    ("status", "codes in message", "402 is a declined card, 503 an outage.", ["1.0 status 402", "ci status 402"], ["1.0 status 503", "ci status 503"]),
    ("closures", "generated name", "{{closure}} of main, twice.", ["1.0 closure ", "ci closure "], ["1.0 closure2 ", "ci closure2 "]),
    ("generics", "generated name", "One generic function, made for two types: the bug is in the function.", ["1.0 generic ", "1.0 generic2 "], ["1.0 first a"]),
    ("traits", "generated name", "A method of a trait, in two types: the bug is in the trait.", ["1.0 post ", "1.0 van "], ["1.0 order 1"]),
    ("depth", "recursion depth", "The same bottom at another depth.", ["1.0 deep a", "1.0 deep aaaa", "1.0 deep aaaaaaaaaaaaaaaaaaaa"], ["1.0 order 1"]),
    ("threads", "async frames", "In a thread of its own, or not.", ["1.0 order 7", "1.0 thread "], ["1.0 invoice 7"]),
    ("cells", "helper on top", "RefCell is borrowed twice in two functions.", ["1.0 cell ", "ci cell "], ["1.0 cell2 ", "ci cell2 "]),
]
Program("go", "shop.go", go_event, GO).write()
Program("rust", "shop.rs", rust_event, RUST).write()
