"""Settings of a Bugsink that stores each event before it answers."""
import os

from bugsink.settings.default import *  # noqa: F403

SECRET_KEY = "of no server that anyone can reach: it is for a test alone"
ALLOWED_HOSTS = ["127.0.0.1"]
for name in ("default", "snappea"):
    DATABASES[name]["NAME"] = os.path.join(os.environ["BUGSINK_DATA"], name + ".sqlite3")  # noqa: F405
SNAPPEA = {"TASK_ALWAYS_EAGER": True, "PID_FILE": None}
BUGSINK = {"BASE_URL": "http://" + os.environ["BUGSINK_ADDRESS"], "DIGEST_IMMEDIATELY": True, "PHONEHOME": False, "INGEST_STORE_BASE_DIR": os.environ["BUGSINK_DATA"]}
