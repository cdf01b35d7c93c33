"""ruby.jsonl, rails.jsonl and sidekiq.jsonl: programs/ruby, rails and sidekiq. Needs Ruby, Rails and Sidekiq, as Debian's packages have them.
Frames have what Sentry's and Honeybadger's clients for Ruby send of the same backtrace."""
import json
import pathlib
import re
import shutil
import subprocess

from corpus import HERE, Runs, cause, event
from sentry_event import trimmed

GEMS = "/srv/kiosk/shared/bundle/ruby/3.1.0/gems/"
SHIFT = ("require 'set'\nrequire 'date'\n", "\nLIMIT = 3\n\n")
RELEASES = {"1.0": ("/srv/kiosk/releases/20261101120000", False), "1.1": ("/srv/kiosk/releases/20261108093000", True),
            "1.0b": ("/srv/kiosk/releases/20261115101500", False), "docker": ("/app", False)}


def clean(text):
    text = re.sub(r"/usr/share/rubygems-integration/\w+/gems/", GEMS, text)
    text = re.sub(r"/usr/share/rubygems-integration/\w+/extensions/", GEMS, text)
    return re.sub(r"/usr/lib/(x86_64-linux-gnu/)?ruby/(vendor_ruby/)?", lambda m: "/usr/local/lib/ruby/" if not m[2] else GEMS + "sqlite3-1.4.2/lib/", text)


def frames_of(error, root):
    lines = [f for f in error["frames"] if "capture.rb" not in (f["file"] or "")]
    out = []
    for f in lines:
        path = clean(f["file"] or "")
        app = path.startswith(root + "/")
        file = path.removeprefix(root + "/") if app else re.sub(r"^.*/gems/[^/]+/lib/|^/usr/local/lib/ruby/(\d[^/]*/)?", "", path)
        out.append({k: v for k, v in {"file": file, "path": path if path != file else "", "func": f["func"], "line": f["line"], "app": app}.items() if v != ""})
    return trimmed(out)


def event_of(error, root, release):
    causes, inner = [], error["cause"]
    while inner:
        causes.append(cause(inner["cls"], inner["message"], *frames_of(inner, root)))
        inner = inner["cause"]
    trace = "\n".join(l for l in clean(error["trace"]).splitlines() if "capture.rb" not in l)
    return event(error["cls"], error["message"], *frames_of(error, root), causes=causes, platform="ruby", sdk="sentry.ruby", release=release, root=root,
                 trace=trace, route=error.get("route", ""))


class Program(Runs):
    def run(self, release, statements):
        (root, moved), source = RELEASES[release], HERE / "programs" / self.name
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(source, root)
        top, middle = SHIFT if moved else ("", "")
        text = (source / "shop.rb").read_text().replace("# NEW RELEASE\n", top)
        pathlib.Path(root, "shop.rb").write_text(re.sub(r" *# NEW LINES\n", middle, text))
        out = subprocess.run(["ruby", source / "capture.rb", root], input="\n".join(statements), capture_output=True, text=True, cwd=root)
        errors = [json.loads(l) for l in out.stdout.splitlines() if l.startswith("{")]
        assert len(errors) == len(statements) and all(e["cls"] != "none" for e in errors), out.stderr
        return {s: event_of(e, root, release) for s, e in zip(statements, errors)}


p = Program("ruby")
p.add("shift", "line shift", "Files were required above.", ["1.0 Cart.new([{}]).total", "1.1 Cart.new([{}]).total"], ["1.0 Cart.new([{}]).names", "1.1 Cart.new([{}]).names"])
p.add("shift-more", "line shift", "A constant was added above.", ["1.0 order(1)", "1.1 order(1)"], ["1.0 invoice(1)", "1.1 invoice(1)"])
p.add("roots", "release path", "Directories of releases and a container.", ["1.0 order(1)", "1.0b order(2)", "docker order(3)"], ["1.0 invoice(1)", "1.0b invoice(2)", "docker invoice(3)"])
p.add("places", "two places", "Two guards of one method raise the same, and move with a release.", ["1.0 Cart.new([1]).ship('nowhere')", "1.1 Cart.new([1]).ship('nowhere')"], ["1.0 Cart.new([]).ship('x')", "1.1 Cart.new([]).ship('x')"])
p.add("defined", "generated name", "define_method with a block: block in <class:Cart> is the name of both.", ["1.0 Cart.new([]).pay(1)", "1.0b Cart.new([]).pay(22)"], ["1.0 Cart.new([]).refund(1)", "1.0b Cart.new([]).refund(22)"])
p.add("missing", "ids in message", "method_missing: the name of the item differs.", ["1.0 Cart.new([]).item_17", "1.0b Cart.new([]).item_99"], ["1.0 Cart.load(17)", "1.0b Cart.load('a-99')"])
p.add("singleton", "two places", "A method of the class in two spellings, with one text.", ["1.0 Cart.load(17)", "1.0b Cart.load(18)"], ["1.0 Cart.drop(17)", "1.0b Cart.drop(18)"])
p.add("ids", "ids in message", "Ids of many kinds.", ["1.0 order(4711)", "1.0 order('ord_9sK2mQ7xLp0d')", "1.0 order('8c1f7e52-07f4-4b0e-a0a1-2a6c3f4b7a11')", "1.0b order('A-2026-17')"], ["1.0 invoice(4711)", "1.0b invoice('in_1MtHbELkd')"])
p.add("fetch", "helper on top", "Hash#fetch is a frame of C in the application's file: the callers differ, and so does the key.", ["1.0 street({})", "1.0b street({ b: 1 })"], ["1.0 city({})", "1.0b city({ b: 1 })"])
p.add("nil", "words in message", "What nil does not understand.", ["1.0 price({})", "1.0b price({})"], ["1.0 label({})", "1.0b label({})"])
p.add("json", "helper on top", "The parser's frames are on top; its text quotes the input.", ["1.0 rates('{')", "1.0b rates('[1,]')"], ["1.0 users('{')", "1.0b users('oops')"])
p.add("numbers", "helper on top", "Integer() in two callers, with what was typed.", ["1.0 number('x')", "1.0b number('1,5')"], ["1.0 count('x')", "1.0b count('n/a')"])
p.add("errno", "codes in message", "Errno::ENOENT and Errno::EISDIR have classes of their own.", ["1.0 read('/nowhere/a')", "1.0b read('/nowhere/b')"], ["1.0 read('/tmp')", "1.0b read('/usr')"])
p.add("status", "codes in message", "402 is a declined card, 503 an outage.", ["1.0 status(402)", "1.0b status(402)"], ["1.0 status(503)", "1.0b status(503)"])
p.add("helper", "helper on top", "The application's own helper raises for its callers; what they lack is in the text.", ["1.0 need_street", "1.0b need_street"], ["1.0 need_city", "1.0b need_city"])
p.add("cause", "wrapper and cause", "One rescue raises one text for two causes.", ["1.0 step { order(1) }", "1.0b step { order(2) }"], ["1.0 step { read('/nowhere/a') }", "1.0b step { read('/nowhere/b') }"])
p.add("depth", "recursion depth", "The same bottom at another depth.", ["1.0 deep(1)", "1.0 deep(4)", "1.0b deep(50)"], ["1.0 loop_on(1)", "1.0b loop_on(1)"])
p.add("threads", "async frames", "In a thread, in a fiber, or neither: the frames below differ.", ["1.0 in_thread { order(1) }", "1.0b in_fiber { order(2) }", "1.0 order(3)"], ["1.0 in_thread { invoice(1) }", "1.0b in_fiber { invoice(2) }"])
p.add("empty", "empty title", "raise without anything, and with an empty text.", ["1.0 empty", "1.0b empty"], ["1.0 empty_too", "1.0b empty_too"])
p.add("inspected", "addresses", "inspect of an object has its address.", ["1.0 shown(Object.new)", "1.0 shown(Object.new) # again", "1.0b shown(Object.new)"], ["1.0 order(1)"])
p.add("anonymous", "addresses", "An anonymous class is named by its address.", ["1.0 raise Class.new(StandardError), 'no name'", "1.0 raise Class.new(StandardError), 'no name' # again"], ["1.0 order(1)"])
p.add("frozen", "words in message", "What is frozen is in the text.", ["1.0 frozen('ann')", "1.0b frozen('bob')"], ["1.0 frozen_list([1])", "1.0b frozen_list([2, 3])"])
p.add("procs", "generated name", "A proc and a lambda in one line's table raise the same: the blocks have one name.", ["1.0 proc_of(:card)", "1.0b proc_of(:card)"])
p.write()

p = Program("rails")
p.add("shift", "line shift", "Lines were added above the actions.", ["1.0 /needed", "1.1 /needed"], ["1.0 /wanted", "1.1 /wanted"])
p.add("find", "helper on top", "Order.find in two actions: Rails' frames are on top, the text has the id.", ["1.0 /order/17", "1.0b /order/99"], ["1.0 /invoice/17", "1.0b /invoice/99"])
p.add("find-by", "helper on top", "find_by! of two models.", ["1.0 /named/bo@example.org", "1.0b /named/cy@example.org"], ["1.0 /customer/17", "1.0b /customer/18"])
p.add("invalid", "helper on top", "create! of two models: RecordInvalid, with the names of what is missing.", ["1.0 /register", "1.0b /register"], ["1.0 /checkout", "1.0b /checkout"])
p.add("unique", "wrapper and cause", "RecordNotUnique wraps the database's error; the tables differ.", ["1.0 /double", "1.0b /double"], ["1.0 /twice", "1.0b /twice"])
p.add("model", "two places", "Two methods of a model raise one text, and move with a release.", ["1.0 /pay", "1.1 /pay"], ["1.0 /close", "1.1 /close"])
p.add("table", "codes in message", "A column that is not there: the statement is in the text.", ["1.0 /table/1", "1.0b /table/4"], ["1.0 /double", "1.0b /double"])
p.add("views", "compiled template", "Methods of compiled templates have a number that changes with each process; ActionView::Template::Error wraps what a view raised.",
      ["1.0 /page/receipt", "1.0b /page/receipt", "1.1 /page/receipt"], ["1.0 /page/basket", "1.0b /page/basket", "1.1 /page/basket"])
p.add("partials", "compiled template", "A partial within a view.", ["1.0 /page/lines", "1.0b /page/lines", "1.1 /page/lines"], ["1.0 /page/receipt", "1.0b /page/receipt"])
p.add("missing-view", "codes in message", "MissingTemplate of two pages.", ["1.0 /page/terms", "1.0b /page/terms"], ["1.0 /page/contact", "1.0b /page/contact"])
p.add("callbacks", "generated name", "Callbacks that are blocks: block in <class:Shop> is the name of both.", ["1.0 /pay?deny=1", "1.0b /pay?deny=1"], ["1.0 /customer?id=1&late=1", "1.0b /customer?id=1&late=1"])
p.add("params", "helper on top", "params.require in two actions; Rails raises, with the name in the text.", ["1.0 /needed", "1.0b /needed"], ["1.0 /wanted", "1.0b /wanted"])
p.add("roots", "release path", "Directories of releases and a container.", ["1.0 /close", "1.0b /close", "docker /close"], ["1.0 /pay", "1.0b /pay", "docker /pay"])
p.write()

p = Program("sidekiq")
p.add("shift", "line shift", "Lines were added above the jobs.", ["1.0 ReportJob [{}]", "1.1 ReportJob [{}]"], ["1.0 ExportJob [{}]", "1.1 ExportJob [{}]"])
p.add("ids", "ids in message", "Addresses of customers.", ['1.0 WelcomeJob "ann@example.org"', '1.0 WelcomeJob "bo.li+x@mail.example.net"', '1.0b WelcomeJob "cy@example.com"'], ['1.0 RemindJob "ann@example.org"', '1.0b RemindJob "bo@example.org"'])
p.add("cause", "wrapper and cause", "Two jobs wrap two causes in one text.", ["1.0 SyncJob 17", "1.0 SyncJob 99", "1.0b SyncJob 5"], ["1.0 PullJob 17", "1.0b PullJob 5"])
p.add("blocks", "generated name", "block in perform of two jobs.", ["1.0 ReportJob [{}]", "1.0b ReportJob [{}]"], ["1.0 ExportJob [{}]", "1.0b ExportJob [{}]"])
p.add("roots", "release path", "Directories of releases and a container.", ["1.0 ReportJob [{}]", "1.0b ReportJob [{}]", "docker ReportJob [{}]"], ["1.0 PullJob 17", "docker PullJob 18"])
p.write()
