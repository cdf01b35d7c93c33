"""A shop that fails, and reports it with Raven, the Sentry client of before 2019, to the endpoint /store/."""
import os

import raven

client = raven.Client(os.environ["SENTRY_DSN"], release="shop@4f2a9c1", environment="staging", name="web-1", install_sys_hook=False)
client.user_context({"id": "7", "email": "ann@example.test"})
client.tags_context({"plan": "gold"})


def charge(order):
    password = "swordfish"
    raise ValueError(f"payment refused for order {order}")


try:
    charge(42)
except ValueError:
    if not client.captureException():
        raise SystemExit("the client reported nothing")
client.captureMessage("stock is low", level="warning")
