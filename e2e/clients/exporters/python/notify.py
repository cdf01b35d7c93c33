"""A shop that fails, and reports it with pybrake."""
import os

import pybrake


def charge(order):
    try:
        return {}["card"]
    except KeyError as e:
        raise ValueError(f"payment refused for order {order}") from e


base = os.environ["SETT_BASE"]
notifier = pybrake.Notifier(
    project_id=int(os.environ["SETT_PROJECT"]), project_key=os.environ["SETT_KEY"], host=base, apm_host=base,
    environment="production", revision="4f2a9c1", remote_config=True, remote_config_host=base,
)
try:
    charge(42)
except ValueError as e:
    notice = notifier.build_notice(e)
    notice["context"]["user"] = {"id": 7, "email": "ann@example.test"}
    sent = notifier.send_notice_sync(notice)
notifier.close()
print(sent["id"], flush=True)
os._exit(0)  # all is sent: threads that pybrake leaves behind have crashed Python when it ended as usual
