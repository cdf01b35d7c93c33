"""bundles.jsonl: programs/bundle, built twice by each bundler and run in Chromium, whose traces Sentry's client for browsers reads.
usage: make_bundles.py NODE_MODULES CHROMIUM (node_modules needs webpack, @rspack/core, vite, rollup, esbuild, @sentry/browser and @sentry/node)"""
import functools
import html
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

from corpus import Book, HERE
from javascript import parsed

MODULES, CHROMIUM = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
PROGRAM = HERE / "programs/bundle"
TOOLS = ["webpack", "rspack", "vite", "rollup", "esbuild"]
SECOND = "export const rates = { EUR: 1, USD: 2, CHF: 3 }\nexport const round = n => Math.round(n * 100) / 100\nglobalThis.shopRates = [rates, round]\n"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def build(work, tool, version):
    shutil.copytree(PROGRAM / "src", work / "src", dirs_exist_ok=True)
    for file in ("cart.js", "checkout.js") if version == 2 else ():
        text = (work / "src" / file).read_text()
        (work / "src" / file).write_text(text.replace("/* NEW LINES */", SECOND.replace("rates", "rates" + file[:3]).replace("round", "round" + file[:3])))
    dist = work / f"{tool}{version}"
    subprocess.run(["node", PROGRAM / "build.mjs", tool, dist], cwd=work, check=True)
    entry = next(p for p in sorted(dist.rglob("*.js")) if p.name.startswith("main") and ".chunk" not in p.name)
    vendors = [p for p in dist.rglob("vendors*.js")]
    tags = "".join(f'<script {"type=module" if tool not in ("webpack", "rspack") else "defer"} src="/{p.relative_to(dist)}"></script>' for p in vendors + [entry])
    (dist / "index.html").write_text(f"<!doctype html><pre id=out></pre>{tags}")
    return dist, entry


def visit(dist):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=dist))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    dom = subprocess.run([CHROMIUM, "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000", "--dump-dom", address + "/"], capture_output=True, text=True).stdout
    server.shutdown()
    text = html.unescape(re.search(r"<pre id=\"out\">(.*?)</pre>", dom, re.S).group(1)).replace(address, "https://kiosk.example")
    return {e["name"]: e for e in json.loads(text)}


def main():
    book = Book("bundles", "real", platform="javascript", sdk="sentry.javascript.browser")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "node_modules").mkdir()
        for module in MODULES.iterdir():
            (work / "node_modules" / module.name).symlink_to(module)
        shutil.copytree(PROGRAM / "lib", work / "node_modules/shoplib")
        (work / "package.json").write_text('{"private": true, "type": "module"}')
        for tool in TOOLS:
            seen = []
            for version in (1, 2):
                dist, entry = build(work, tool, version)
                e = visit(dist)
                for chunk in dist.rglob("*.js"):
                    if chunk != entry and ".street" in chunk.read_text():
                        chunk.unlink()
                gone = {"gone " + k: v for k, v in visit(dist).items() if k in ("checkout", "invoice")}
                seen.append(parsed({**e, **gone}, MODULES, release=f"{version}.0"))
            situations(book, tool, seen)
    book.write()


def situations(book, tool, seen):
    both = lambda name: [s[name] for s in seen]
    def add(name, cls, reason, *groups):
        book.add(f"{tool}-{name}", tool, cls, reason, *[both(g) for g in groups])
    add("entry", "build id in file name", "A second build of a changed application gives the entry another name; what failed is the same.", "charge", "total")
    add("chunk", "build id in file name", "The same in a chunk that is loaded on demand: two functions read the same property of nothing.", "checkout", "invoice")
    add("callbacks", "build id in file name", "Functions without a name, in a listener and a timer.", "listener", "timer")
    add("siblings", "build id in file name", "Two methods of one file throw the same class and text, in two builds; each has its own condition.", "pay", "send")
    add("library", "helper on top", "An assertion of a library is on top, bundled with the application's code; its callers differ.", "street", "currency")
    add("gone", "words in message", "A chunk of an old build is not on the server any more; its name is in the text. One remedy: reload the page.", "gone checkout", "listener")


main()
