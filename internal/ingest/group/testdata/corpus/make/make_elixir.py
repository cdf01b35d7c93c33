"""elixir.jsonl: programs/elixir, compiled as lib/kiosk/shop.ex. Frames are marked as Sentry's client marks them with in_app_module_allow_list: [Kiosk]."""
import pathlib
import re
import subprocess
import sys
import tempfile

from corpus import Book, HERE, event
from sentry_event import trimmed

SHIFT = ("# A shop.\n# It has carts.\n", "  @limit 3\n  def limit, do: @limit\n\n")
RUNNER = re.compile(r"erl_eval|capture\.exs|elixir_eval|src/elixir|lib/code\.ex|elixir_compiler|parallel_checker|Enum\.reduce/3|Stream\.do_element")
SITUATIONS = [
    ("shift", "line shift", "A module attribute was added.", ["1 status(500)", "2 status(500)"], ["1 ratio(1, 0)", "2 ratio(1, 0)"]),
    ("shift-more", "line shift", "Comments were added above.", ["1 pay(1)", "2 pay(1)"], ["1 refund(1)", "2 refund(1)"]),
    ("functions", "generated name", "anonymous fn/1 in Kiosk.Cart.total/1, and -names/1-fun-0-.", ["1 total(%Cart{items: [%{price: nil}]})", "1 total(%Cart{items: [%{price: :a}]})"], ["1 names(%Cart{items: [%{name: nil}]})", "1 names(%Cart{items: [%{name: 5}]})"]),
    ("comprehensions", "generated name", "A comprehension is a function of the compiler.", ["1 comp([nil])", "1 comp([5])"], ["1 comp2([nil])", "1 comp2([5])"]),
    ("ids", "ids in message", "The payment in the text.", ["1 pay(1)", "1 pay(4711)", '1 pay("pay_9sK2mQ7x")'], ["1 refund(1)", '1 refund("re_1MtHbELkd")']),
    ("clauses", "ids in message", "No clause matches; what was given is in the arguments.", ['1 ship("there")', '1 ship("moon")'], ['1 pack("there")', "1 pack(5)"]),
    ("match", "ids in message", "What does not match is in the text: two values of one place.", ["1 match({:error, :timeout})", "1 match(nil)"], ["1 ok({:error, :timeout})", "1 ok(nil)"]),
    ("fetch", "helper on top", "Map.fetch! raises in Erlang's and Elixir's libraries for two callers.", ["1 price(%{})", "1 price(%{a: 1})"], ["1 label(%{})", "1 label(%{b: 1})"]),
    ("numbers", "helper on top", "String.to_integer, with what was typed.", ['1 number("x")', '1 number("1,5")'], ['1 count("x")', '1 count("n/a")']),
    ("case", "ids in message", "No clause of case and cond.", ["1 kind(:b)", "1 kind(:c)"], ["1 size(1)", "1 size(2)"]),
    ("zero", "helper on top", "div and rem by zero.", ["1 ratio(1, 0)", "1 ratio(5, 0)"], ["1 share(1, 0)", "1 share(5, 0)"]),
    ("undefined", "codes in message", "Two modules that are not there.", ["1 missing()", "1 missing() # again"], ["1 missing2()", "1 missing2() # again"]),
    ("depth", "recursion depth", "The same bottom at another depth.", ["1 deep(1)", "1 deep(5)", "1 deep(40)"], ["1 share(1, 0)"]),
    ("thrown", "empty title", "What is thrown or exited with is no exception.", ["1 thrown()"], ["1 exited()"]),
    ("status", "codes in message", "402 is a declined card, 503 an outage.", ["1 status(402)", "1 status(402) # again"], ["1 status(503)", "1 status(503) # again"]),
    ("files", "codes in message", "File.read! of what is missing, and of a directory.", ['1 file("/nowhere/a")', '1 file("/nowhere/b")'], ['1 file("/tmp")', '1 file("/usr")']),
    ("server", "wrapper and cause", "exited in GenServer.call: the server crashed, with a process id in the text, or was too slow.", ["1 Stock.call({:take, :a})", "1 Stock.call({:take, :b})"], ["1 Stock.call({:slow, 1})", "1 Stock.call({:slow, 2})"]),
    ("keys", "ids in message", "KeyError with the whole map in the text.", ["1 key(%{a: 1})", "1 key(%{b: 2, c: 3})"], ["1 key2(%{a: 1})", "1 key2(%{b: 2})"]),
    ("step", "two places", "rescue raises anew with the trace of what was rescued: one text, two places.", ["1 step(fn -> pay(1) end)", "1 step(fn -> pay(2) end)"], ["1 step(fn -> price(%{}) end)", "1 step(fn -> price(%{a: 1}) end)"]),
]

made = {}
for run, moved in (("1", False), ("2", True)):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "lib/kiosk/shop.ex")
        source.parent.mkdir(parents=True)
        top, middle = SHIFT if moved else ("", "")
        source.write_text(re.sub(r" *# NEW LINES\n", middle, (HERE / "programs/elixir/shop.ex").read_text().replace("# NEW RELEASE\n", top)))
        subprocess.run(["elixirc", "-o", folder, "lib/kiosk/shop.ex"], cwd=folder, check=True, capture_output=True)
        calls = list(dict.fromkeys(e[2:] for s in SITUATIONS for g in s[3:] for e in g if e.startswith(run + " ")))
        out = subprocess.run(["elixir", "-pa", folder, HERE / "programs/elixir/capture.exs"], input="\n".join(calls) + "\n", cwd=folder, capture_output=True, text=True)
        lines = [l for l in out.stdout.split("\n") if l.count("\t") == 3]
        if len(lines) != len(calls):
            sys.exit(out.stderr[-2000:])
        for call, line in zip(calls, lines):
            cls, message, frames, trace = [f.replace("\\n", "\n") for f in line.split("\t")]
            all = []
            for f in frames.split("\x1e"):
                module, func, file, number, app = f.split("\x1f")
                if RUNNER.search(f):
                    break
                all.append({k: v for k, v in {"file": file, "module": module, "func": func, "line": int(number), "app": module.startswith("Kiosk.")}.items() if v not in ("", 0)})
            trace = "\n".join(l for l in trace.splitlines() if not RUNNER.search(l))
            made[f"{run} {call}"] = event(cls, message, *trimmed(all), platform="elixir", sdk="sentry-elixir", release=f"{run}.0", trace=trace.replace("(kiosk) ", ""))
book = Book("elixir", "real")
for id, cls, reason, *groups in SITUATIONS:
    book.add("elixir-" + id, "elixir", cls, reason, *[[made[e] for e in g] for g in groups])
book.write()
