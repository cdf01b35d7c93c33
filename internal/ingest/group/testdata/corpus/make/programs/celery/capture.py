"""Runs tasks of Celery and prints what Sentry's client sends, a line of JSON per task. usage: capture.py ROOT RELEASE < CALLS"""
import json
import logging
import sys
import traceback

import sentry_sdk
from sentry_sdk.integrations.celery import CeleryIntegration

root, release = sys.argv[1:3]
sys.path.insert(0, root)
logging.disable(logging.CRITICAL)
sent = []
sentry_sdk.init(dsn="http://key@127.0.0.1:9/1", release=release, project_root=root, before_send=lambda event, hint: sent.append((event, hint)),
                integrations=[CeleryIntegration()], auto_enabling_integrations=False)
import tasks  # noqa: E402

for wanted in sys.stdin.read().splitlines():
    sent.clear()
    name, argument = wanted.split(" ", 1)
    try:
        getattr(tasks, name).apply(args=[json.loads(argument)], throw=False)
    except Exception:
        pass
    event, hint = sent[-1]
    print(json.dumps({"event": event, "trace": "".join(traceback.format_exception(*hint["exc_info"]))}, default=str))
