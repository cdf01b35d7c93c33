"""Requests paths of a Django application and prints what Sentry's client sends, a line of JSON per path. usage: capture.py ROOT RELEASE < PATHS"""
import json
import logging
import sys
import traceback

import django
import sentry_sdk
from django.conf import settings

root, release = sys.argv[1:3]
sys.path.insert(0, root)
logging.disable(logging.CRITICAL)
sent = []
sentry_sdk.init(dsn="http://key@127.0.0.1:9/1", release=release, project_root=root, before_send=lambda event, hint: sent.append((event, hint)))
settings.configure(SECRET_KEY="x", ROOT_URLCONF="shop", ALLOWED_HOSTS=["*"], DEFAULT_AUTO_FIELD="django.db.models.AutoField",
                   DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
                   TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [root + "/templates"]}])
django.setup()
import shop  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

with connection.schema_editor() as editor:
    editor.create_model(shop.Customer)
    editor.create_model(shop.Order)
for email in ("ann@example.org", "bo@example.net"):
    shop.Customer.objects.create(email=email)
client = Client(raise_request_exception=False)
for wanted in sys.stdin.read().splitlines():
    sent.clear()
    client.get(wanted)
    event, hint = sent[0]
    print(json.dumps({"event": event, "trace": "".join(traceback.format_exception(*hint["exc_info"]))}, default=str))
