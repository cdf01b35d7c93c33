"""java.jsonl, kotlin.jsonl, scala.jsonl, clojure.jsonl and spring.jsonl: programs/jvm with Sentry's client for Java.
usage: make_jvm.py JARS (a folder with sentry, spring-boot-starter-web, kotlin-compiler-embeddable, kotlinx-coroutines-core-jvm, scala3-compiler_3, clojure,
jackson-databind and what they need). Needs a JDK."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from corpus import HERE, Runs
from sentry_event import from_sentry

JARS = str(pathlib.Path(sys.argv[1]).resolve()) + "/*"
PROGRAMS = HERE / "programs/jvm"
ENV = {**os.environ, "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
SHIFT = {"java": ("import java.io.*;\nimport java.time.*;\n", "  static final int LIMIT = 3;\n\n"), "kt": ("import java.time.*\n", "    val limit = 3\n\n"),
         "scala": ("import java.time.*\n", "  val limit = 3\n\n"), "clj": (";; about carts\n;; and more\n", "\n(def limit 3)\n\n")}
# Runs: the release, whether its lines moved, whether it is another process of the same.
RUNS = {"1": ("1.0", False, 0), "again": ("1.0", False, 7), "2": ("2.0", True, 0)}


def run(*command, **more):
    done = subprocess.run(command, env=ENV, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
    return done.stdout


def compile_all(source, out, moved):
    end = source.suffix[1:]
    text, (top, middle) = source.read_text(), SHIFT[end]
    comment = ";;" if end == "clj" else "//"
    text = re.sub(rf"^ *{comment} NEW RELEASE\n", top if moved else "", text, flags=re.M)
    text = re.sub(rf"^ *{comment} NEW LINES\n", lambda m: middle if moved else "", text, flags=re.M)
    copy = out / source.name
    copy.write_text(text)
    classes = f"{JARS}:{out}"
    run("javac", "-parameters", "-cp", classes, "-d", out, *[PROGRAMS / f for f in ("Capture.java", "Loader.java")], *([copy] if end == "java" else []))
    if end == "kt":
        run("java", "-cp", JARS, "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib", "-cp", ":".join(map(str, pathlib.Path(sys.argv[1]).glob("kotlin*.jar"))), "-d", str(out), str(copy))
    if end == "scala":
        run("java", "-cp", JARS, "dotty.tools.dotc.Main", "-usejavacp", "-d", str(out), str(copy))
    return copy, classes


OURS = re.compile(r"^\tat (Capture|Loader|java\.base/jdk\.internal\.reflect|java\.base/java\.lang\.reflect).*\n", re.M)


def cleaned(event):
    for value in event["exception"]["values"]:
        stack = value.get("stacktrace") or {}
        stack["frames"] = [f for f in stack.get("frames") or [] if f.get("module", "") not in ("Capture", "Loader")]
    return event


class Program(Runs):
    def __init__(self, name, source, main, package):
        super().__init__(name)
        self.ecosystem = name.removesuffix("-unmarked")
        self.source, self.main, self.package = PROGRAMS / source, main, package

    def add(self, id, cls, reason, *groups):
        """Lines move only where that is what a situation is about."""
        moves = cls in ("line shift", "two places")
        super().add(id, cls, reason, *[[e if moves else re.sub(r"^2 ", "again ", e) for e in g] for g in groups])

    def run(self, name, cases):
        release, moved, earlier = RUNS[name]
        with tempfile.TemporaryDirectory() as folder:
            copy, classes = compile_all(self.source, pathlib.Path(folder), moved)
            out = run("java", f"-Dprogram={copy}", f"-Dearlier={earlier}", "-cp", classes, "Capture", release, self.main, self.package, *cases, cwd=folder)
            sent = [json.loads(line[5:]) for line in out.splitlines() if line.startswith("EVENT")]
            return {one["name"]: from_sentry(cleaned(one["event"]), OURS.sub("", one["trace"]).replace(folder + "/", "src/")) for one in sent}


def java():
    p = Program("java", "Shop.java", "com.kiosk.Shop", "com.kiosk")
    p.add("shift", "line shift", "Imports and a constant were added.", ["1 order 4711", "2 order 4711"], ["1 invoice 4711", "2 invoice 4711"])
    p.add("shift-lambda", "line shift", "A lambda moved with its method.", ["1 total", "2 total"], ["1 names", "2 names"])
    p.add("lambdas", "generated name", "lambda$total$0 and lambda$names$1: two lambdas with two bugs.", ["1 total", "2 total"], ["1 names", "2 names"])
    p.add("lambdas-same-text", "generated name", "Two listeners, each a lambda that throws.", ["1 onSet", "2 onSet"], ["1 onUnset", "2 onUnset"])
    p.add("anonymous", "generated name", "Two anonymous classes, Shop$1 and Shop$2, of two methods.", ["1 anonymous", "2 anonymous"], ["1 anonymousToo", "2 anonymousToo"])
    p.add("proxy", "generated name", "A proxy of the JDK above the class: the number of the proxy is the runtime's.", ["1 proxied pay", "2 proxied pay"], ["1 proxied refund", "2 proxied refund"])
    p.add("reflection", "wrapper and cause", "InvocationTargetException wraps what was thrown by the method that reflection called.", ["1 reflected order", "2 reflected order"], ["1 reflected invoice", "2 reflected invoice"])
    p.add("ids", "ids in message", "Ids of many kinds in one text.", ["1 order 4711", "1 order 99", "1 order 8c1f7e52-07f4-4b0e-a0a1-2a6c3f4b7a11", "1 order ord_9sK2mQ7xLp0d", "1 order A-2026-00017"], ["1 invoice 4711", "1 invoice ord_9sK2mQ7xLp0d"])
    p.add("execution", "wrapper and cause", "ExecutionException of a future: the causes are thrown in two functions.", ["1 async order", "1 async order 2"], ["1 async invoice", "2 async invoice"])
    p.add("completion", "wrapper and cause", "CompletionException of join(): thrown inside.", ["1 joined order", "1 joined order 2"], ["1 joined invoice", "2 joined invoice"])
    p.add("pool", "async frames", "A task of a pool.", ["1 pooled order", "2 pooled order"], ["1 pooled total", "2 pooled total"])
    p.add("step", "wrapper and cause", "The application wraps whatever a step throws, in one place, with one text.", ["1 step order", "1 step order 2"], ["1 step total", "2 step total"])
    p.add("runtime", "wrapper and cause", "new RuntimeException(e) has the text of its cause.", ["1 plain order", "1 plain order 2"], ["1 plain status", "2 plain status"])
    p.add("non-null", "helper on top", "Objects.requireNonNull is on top, with one text, called in two places.", ["1 street", "2 street"], ["1 currency", "2 currency"])
    p.add("numbers", "helper on top", "Integer.parseInt is on top; the text has what a customer typed.", ["1 number x", "1 number 1,5"], ["1 count x", "1 count n/a"])
    p.add("lists", "helper on top", "Bounds are checked in the library.", ["1 first", "2 first"], ["1 second", "2 second"])
    p.add("helper", "helper on top", "The application's own helper raises for its callers; what they lack is in the text.", ["1 checkStreet", "2 checkStreet"], ["1 checkCity", "2 checkCity"])
    p.add("status", "codes in message", "402 is a declined card, 503 an outage of the bank.", ["1 status 402", "2 status 402"], ["1 status 503", "2 status 503"])
    p.add("ora", "codes in message", "ORA-00001 is a duplicate, ORA-12541 a database that does not listen.", ["1 ora 00001", "2 ora 00001"], ["1 ora 12541", "2 ora 12541"])
    p.add("depth", "recursion depth", "The same bottom at another depth.", ["1 deep 1", "1 deep 5", "1 deep 40"], ["1 loop", "2 loop"])
    p.add("places", "two places", "Two branches of one method throw the same.", ["1 ship country", "2 ship country"], ["1 ship nothing", "2 ship nothing"])
    p.add("empty", "empty title", "No text at all, in two methods.", ["1 empty", "2 empty"], ["1 emptyToo", "2 emptyToo"])
    p.add("addresses", "addresses", "An object in a text is its class and its hash.", ["1 shown", "1 shown again", "1 shown array"])
    p.write()
    p = Program("java-unmarked", "Shop.java", "com.kiosk.Shop", "-")  # the client does not know which packages are the application's
    p.add("streams", "helper on top", "No frame is marked; streams of the JDK are below and above.", ["1 total", "again total"], ["1 names", "again names"])
    p.add("numbers", "helper on top", "No frame is marked; the JDK's parser is on top.", ["1 number x", "1 number 1,5"], ["1 count x", "1 count n/a"])
    p.add("reflection", "helper on top", "No frame is marked; Objects.requireNonNull is on top.", ["1 street", "2 street"], ["1 currency", "2 currency"])
    p.write()


def kotlin():
    p = Program("kotlin", "Kiosk.kt", "com.kiosk.mobile.Main", "com.kiosk.mobile")
    p.add("shift", "line shift", "An import and a value were added.", ["1 total", "2 total"], ["1 names", "2 names"])
    p.add("lazy", "generated name", "Two lazy values: Cart$first$2.invoke and Cart$last$2.invoke, or lambdas with numbers.", ["1 first", "2 first"], ["1 last", "2 last"])
    p.add("lambdas", "generated name", "Lambdas that two callers pass to one method.", ["1 named", "2 named"], ["1 named too", "2 named too"])
    p.add("coroutines", "async frames", "Suspended methods, resumed on two dispatchers: Cart$book$1.invokeSuspend.", ["1 book 1", "1 book 22"], ["1 leave 1", "1 leave 22"])
    p.add("async", "async frames", "Thrown in async, and again at await.", ["1 async", "2 async"], ["1 async leave", "2 async leave"])
    p.add("flows", "async frames", "Flows, with an operator between or without.", ["1 flow", "1 flow 2"], ["1 other", "1 other 2"])
    p.add("ids", "ids in message", "A companion's method; the id differs.", ["1 load", "1 load again"], ["1 pick"])
    p.add("require", "helper on top", "require and checkNotNull are inlined: the frame is the application's.", ["1 ship", "2 ship"], ["1 pack", "2 pack"])
    p.add("not-null", "helper on top", "checkNotNull says one text for two values.", ["1 pick", "2 pick"], ["1 label", "2 label"])
    p.add("lateinit", "helper on top", "Intrinsics of Kotlin's library throw; their text has the name of the property.", ["1 stock", "2 stock"], ["1 places", "2 places"])
    p.add("enum", "ids in message", "valueOf with what a customer sent.", ["1 size", "1 size 2"], ["1 stock"])
    p.write()


def scala():
    p = Program("scala", "Kiosk.scala", "kiosk.Main", "kiosk")
    p.add("shift", "line shift", "An import and a value were added.", ["1 total", "2 total"], ["1 names", "2 names"])
    p.add("lambdas", "generated name", "total$$anonfun$1 and names$$anonfun$1.", ["1 total", "2 total"], ["1 names", "2 names"])
    p.add("match", "ids in message", "MatchError has the value and its class.", ["1 state", "1 state 2"], ["1 kind", "1 kind 2"])
    p.add("maps", "helper on top", "Map.apply throws in Scala's library for two callers, with the key.", ["1 stocked", "1 stocked 2"], ["1 priced", "1 priced 2"])
    p.add("futures", "async frames", "Futures: pay$$anonfun$1 on a pool.", ["1 pay", "1 pay 2"], ["1 refund", "1 refund 2"])
    p.add("chained", "async frames", "A chain of futures; anonymous functions in each other.", ["1 chained", "1 chained 2"], ["1 pay"])
    p.add("lazy", "generated name", "rates$lzyINIT1 and places$lzyINIT1.", ["1 rates", "2 rates"], ["1 places", "2 places"])
    p.add("require", "helper on top", "Predef.require is on top for two callers with one text.", ["1 checked", "2 checked"], ["1 counted", "2 counted"])
    p.add("traits", "generated name", "A method of a trait, mixed into two classes: the bug is in the trait.", ["1 post", "1 van"], ["1 rates"])
    p.write()


def clojure():
    p = Program("clojure", "kiosk.clj", "Loader", "kiosk")
    p.add("shift", "line shift", "Comments and a value were added.", ["1 charge 1", "2 charge 1"], ["1 refund 1", "2 refund 1"])
    p.add("functions", "generated name", "fn__1234 gets another number in each process.", ["1 total", "again total"], ["1 names", "again names"])
    p.add("ids", "ids in message", "The order in the text.", ["1 charge 1", "again charge 2"], ["1 refund 1", "again refund 2"])
    p.add("cause", "wrapper and cause", "One place wraps two causes in one text.", ["1 step charge", "again step charge 2"], ["1 step total", "again step total"])
    p.add("future", "async frames", "A future's deref wraps what was thrown in an ExecutionException.", ["1 later charge", "again later charge 2"], ["1 later total", "again later total"])
    p.add("numbers", "helper on top", "clojure.lang.Numbers throws for two callers.", ["1 ratio", "2 ratio"], ["1 share", "2 share"])
    p.add("asserts", "helper on top", "Preconditions of two functions have the same text.", ["1 checked", "again checked"], ["1 counted", "again counted"])
    p.add("nothing", "helper on top", "A function that is nil is called in two places.", ["1 picked", "again picked"], ["1 packed", "again packed"])
    p.add("multi", "codes in message", "No method of a multimethod, and a method that throws.", ["1 ship", "again ship"], ["1 ship bike", "again ship bike"])
    p.write()


def spring():
    p = Program("spring", "Web.java", "com.kiosk.web.Web", "com.kiosk.web")
    p.add("shift", "line shift", "Imports and a constant were added.", ["1 /list", "2 /list"], ["1 /first", "2 /first"])
    p.add("proxy", "generated name", "Web$Bank$$SpringCGLIB$$0.pay and FastClass are between the controller and the bank.", ["1 /pay/1", "1 /pay/A-17", "again /pay/99"], ["1 /refund/1", "again /refund/99"])
    p.add("arguments", "helper on top", "Spring converts what the path has; no frame is the application's, and the text has what was typed.", ["1 /number/x", "1 /number/n-a"], ["1 /list"])
    p.add("parameters", "words in message", "Two required parameters of two handlers: names in quotes are the news.", ["1 /need", "2 /need"], ["1 /lost", "2 /lost"])
    p.add("wrapped", "wrapper and cause", "One handler wraps two causes.", ["1 /wrapped/bank", "again /wrapped/bank"], ["1 /wrapped/list", "again /wrapped/list"])
    p.add("lists", "helper on top", "Collections of the JDK are on top of two handlers.", ["1 /list", "2 /list"], ["1 /first", "2 /first"])
    p.write()


for part in sys.argv[2:] or ["java", "kotlin", "scala", "clojure", "spring"]:
    {"java": java, "kotlin": kotlin, "scala": scala, "clojure": clojure, "spring": spring}[part]()
