"""What other products' rules make of the corpus: prints a table by class. Bugsink comes from PyPI (pip install bugsink); its own functions are called, without a server.
usage: go test ./internal/ingest/group -run '^TestCorpusForOthers$' -args -dump FILE; compare.py FILE"""
import collections
import json
import os
import pathlib
import sys
import tempfile

folder = tempfile.mkdtemp()
pathlib.Path(folder, "corpus_conf.py").write_text("SECRET_KEY = 'x'\nINSTALLED_APPS = ['django.contrib.contenttypes', 'django.contrib.auth']\nUSE_TZ = True\n")
sys.path.insert(0, folder)
os.environ["DJANGO_SETTINGS_MODULE"] = "corpus_conf"
import django  # noqa: E402

django.setup()
from issues import grouping_mechanisms  # noqa: E402
from issues.utils import get_key_with_mechanism_for_data  # noqa: E402

RULES = {"Bugsink, version 1": grouping_mechanisms.BUGSINK_GROUPING_V1, "Bugsink, version 2": grouping_mechanisms.BUGSINK_GROUPING_V2}
corpus = json.load(open(sys.argv[1]))
table = collections.defaultdict(lambda: collections.defaultdict(lambda: {True: [0, 0], False: [0, 0]}))
for name in ["sett 1", "sett 2", *RULES]:
    keys = corpus[name] if name in corpus else [get_key_with_mechanism_for_data(e, RULES[name]).key for e in corpus["events"]]
    for pair in corpus["pairs"]:
        right = (keys[pair["a"]] == keys[pair["b"]]) == pair["together"]
        for row in (pair["class"], "all"):
            count = table[row][name][pair["together"]]
            count[0] += right
            count[1] += 1
percent = lambda c: f"{100 * c[0] / c[1]:.0f} %" if c[1] else "–"
print("| class | " + " | ".join(f"{n}: apart | together" for n in table["all"]) + " |\n|---|" + "---:|" * 2 * len(table["all"]))
for row in sorted(table, key=lambda r: (r == "all", r)):
    print(f"| {row} | " + " | ".join(f"{percent(table[row][n][False])} | {percent(table[row][n][True])}" for n in table["all"]) + " |")
