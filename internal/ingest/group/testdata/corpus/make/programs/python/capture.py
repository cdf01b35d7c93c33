"""Runs statements as the main program of an application, and prints what Sentry's client for Python sends of each: one line of JSON per statement.
usage: capture.py ROOT RELEASE < STATEMENTS"""
import json
import runpy
import sys
import traceback

import sentry_sdk

root, release = sys.argv[1:3]
sys.path.insert(0, root)
sent = []
sentry_sdk.init(dsn="http://key@127.0.0.1:9/1", release=release, project_root=root, before_send=lambda event, hint: sent.append((event, hint)))
for statement in sys.stdin.read().splitlines():
    sent.clear()
    with open(root + "/main.py", "w") as f:
        f.write("from kiosk import *\n\n" + statement + "\n")
    try:
        runpy.run_path(root + "/main.py", run_name="__main__")
    except BaseException:
        sentry_sdk.capture_exception()
    if not sent:
        sys.exit("nothing was sent for " + statement)
    event, hint = sent[0]
    printed = "".join(traceback.format_exception(*hint["exc_info"])) if hint.get("exc_info") else ""
    print(json.dumps({"event": event, "trace": printed}, default=str))
